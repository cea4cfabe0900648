/** Address of a service for people. */
export interface Page {
  readonly title: string;
  /** HTTP address, or `host:port` of brokers. */
  readonly url: string;
  /** User to log in with. */
  readonly user?: string;
  /** True for a page that Grafana's home dashboard links. */
  readonly isTool?: boolean;
  /** True for a server that the stack does not run. */
  readonly isExternal?: boolean;
  /** Page to visit after the first start, and its content. */
  readonly first?: { readonly url: string; readonly shows: string };
}
