/** Share of its container's memory that the server uses; at the whole of it, queries fail. */
export const DATABASE_MEMORY_SHARE = 0.8;
