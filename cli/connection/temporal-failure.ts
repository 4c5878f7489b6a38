/** Reads the message of a failure in Temporal. */
import type { LoadedDataConverter } from '@temporalio/common';
import { decodeOptionalFailureToOptionalError } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { reasonOf } from '../../workers/log/reason.ts';

type EncodedFailure = Parameters<typeof decodeOptionalFailureToOptionalError>[1];

/** As it is where it is encrypted with a key that is not given. Undefined without a failure. */
export async function failureMessageOf(
  converter: LoadedDataConverter,
  failure: EncodedFailure,
): Promise<string | undefined> {
  try {
    const error = await decodeOptionalFailureToOptionalError(converter, failure);
    return error && reasonOf(error);
  } catch {
    return failure?.message ?? undefined;
  }
}
