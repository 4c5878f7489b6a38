/** Reads a URL that has its own signature: no credentials go with the request. */
import type { createPipelineRequest, HttpClient, Pipeline } from '@azure/core-rest-pipeline';

export interface PlainAnswer {
  status: number;
  /** The last 64 KiB of the body, at most. */
  end: string;
}

/** A pipeline without credentials, and without redirects: a signature is for one host. */
export interface PlainParts {
  pipeline: Pipeline;
  http: HttpClient;
  newRequest: typeof createPipelineRequest;
}

const longestEnd = 65_536;
/** More is not read: the log is bounded by Azure, its host might be anybody's. */
const longestBody = 16 * 1_024 * 1_024;

export async function readPlainly(
  { pipeline, http, newRequest }: PlainParts,
  url: string,
  abortSignal: AbortSignal,
): Promise<PlainAnswer> {
  const request = newRequest({ method: 'GET', url, abortSignal });
  request.streamResponseStatusCodes = new Set([200]);
  const { status, readableStreamBody } = await pipeline.sendRequest(http, request);
  if (!readableStreamBody) return { status, end: '' };
  return { status, end: (await endOf(readableStreamBody)).toString('utf8') };
}

async function endOf(body: NodeJS.ReadableStream): Promise<Buffer> {
  let end = Buffer.alloc(0);
  let length = 0;
  // Leaving the loop closes the connection.
  for await (const chunk of body) {
    const bytes = Buffer.from(chunk);
    length += bytes.length;
    end = Buffer.concat([end, bytes]).subarray(-longestEnd);
    if (length > longestBody) break;
  }
  return end;
}
