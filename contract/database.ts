/** Share of its container's memory that the server may use; at 100 %, queries fail. */
export const DATABASE_MEMORY_SHARE = 0.8;
