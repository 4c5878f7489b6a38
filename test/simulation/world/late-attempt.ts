/** Attempts of activities that go on although they are over. */
import { Context } from '@temporalio/activity';

/** Type of the activity of the caller, where its attempt was timed out or cancelled. */
export function activityOfLateAttempt(): string | undefined {
  const context = currentContext();
  return context?.cancellationSignal.aborted ? context.info.activityType : undefined;
}

function currentContext(): Context | undefined {
  try {
    return Context.current();
  } catch {
    // Not every call is one of an activity.
    return undefined;
  }
}
