/** What the server allows itself of its container's memory; at the whole of it, it refuses queries. */
export const DATABASE_MEMORY_SHARE = 0.8;
