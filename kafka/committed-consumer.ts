import {
  type CallbackWithPromise,
  Consumer,
  type FetchOptions,
  type fetchV17,
} from "@platformatic/kafka";
import { committedFilter } from "./fetch.ts";

type Options = FetchOptions<Buffer, Buffer, Buffer, Buffer>;
type Response = fetchV17.FetchResponse;

/** A consumer without aborted messages. The library keeps those whose marker is in a later answer. */
export class CommittedConsumer extends Consumer {
  override fetch(options: Options): Promise<Response>;
  override fetch(options: Options, callback: CallbackWithPromise<Response>): void;
  override fetch(options: Options, callback?: CallbackWithPromise<Response>) {
    if (!callback) return super.fetch(options).then(dropAborted);
    super.fetch(options, (error, response) => callback(error, response && dropAborted(response)));
  }
}

function dropAborted(response: Response): Response {
  for (const page of response.responses.flatMap(({ partitions }) => partitions)) {
    const isCommitted = committedFilter(page);
    // An empty batch still moves the position.
    for (const batch of page.records ?? []) if (!isCommitted(batch)) batch.records = [];
  }
  return response;
}
