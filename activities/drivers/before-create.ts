/**
 * What fails while a create still searches has sent nothing that makes an instance, also where the
 * search proves nothing: where there are no credentials, nothing can have been made.
 */
const unsent = new WeakSet<object>();

/** An error of `search` counts as one of a create that was not sent. */
export async function beforeCreate<Seen>(search: Promise<Seen>): Promise<Seen> {
  try {
    return await search;
  } catch (error) {
    if (error instanceof Error) unsent.add(error);
    throw error;
  }
}

/** Of the call that failed; an earlier one may have sent a create all the same. */
export function wasUnsent(error: Error): boolean {
  return unsent.has(error) || (error.cause instanceof Error && wasUnsent(error.cause));
}
