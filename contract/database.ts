/** Share of the container's memory that ClickHouse may use; at 100 %, queries fail. */
export const DATABASE_MEMORY_SHARE = 0.8;
