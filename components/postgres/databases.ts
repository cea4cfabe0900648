import type * as pulumi from "@pulumi/pulumi";

/** Database of a service, whose owner has the same name. */
export interface PostgresDatabase {
  /** Host and port. */
  readonly address: string;
  readonly name: string;
  readonly password: pulumi.Output<string>;
}

/**
 * Returns the SQL that creates roles and databases, and sets the passwords; idempotent.
 * @param databases passwords by name
 */
export function databasesSql(
  administrator: string,
  databases: Readonly<Record<string, string>>,
): string {
  const lines = [
    passwordOf("postgres", administrator),
    ...Object.entries(databases).flatMap(([name, password]) => [
      `SELECT format('CREATE ROLE %I LOGIN', ${literal(name)}) WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = ${literal(name)}) \\gexec`,
      passwordOf(name, password),
      `SELECT format('CREATE DATABASE %I OWNER %I', ${literal(name)}, ${literal(name)}) WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = ${literal(name)}) \\gexec`,
    ]),
  ];
  return `${lines.join("\n")}\n`;
}

const passwordOf = (user: string, password: string): string =>
  `SELECT format('ALTER ROLE %I PASSWORD %L', ${literal(user)}, ${literal(password)}) \\gexec`;

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`;
