/**
 * A signal that says what was seen, in another form than its schema has, is left out: it must not
 * stop its workflow for ever.
 */
import type { SignalDefinition } from '@temporalio/common';
import { ApplicationFailure, log, setHandler } from '@temporalio/workflow';
import type { WorkflowInput, NamespacedName } from '../contracts/references.ts';
import type { Schema } from '../values/schema.ts';
import { errorIn, name, objectOf, pick } from '../values/schema.ts';

const objectRef: Schema<NamespacedName> = { namespace: name, name };

/** Hears a signal, and leaves out what is not of its form. */
export function onSignal<T extends object>(
  signal: SignalDefinition<[T]>,
  shape: Schema<T>,
  take: (payload: T) => void,
): void {
  setHandler(
    signal,
    (payload: T) => {
      const fault = errorIn(payload, shape);
      if (fault === undefined) take(pick(payload, shape));
      else log.warn('a signal that makes no sense was left out', { signal: signal.name, fault });
    },
    { description: 'not for people: from the watcher, or from an activity of this run' },
  );
}

/**
 * A run that a person starts by hand with another input can never do anything: it fails with the
 * reason.
 */
export function requireInput<Input extends WorkflowInput>(input: Input): Input {
  const fault = errorIn(input, { ref: objectOf(objectRef), cluster: name });
  if (fault === undefined) return input;
  const message = `the input makes no sense: ${fault}; it is {"ref": {"namespace": ..., "name": ...}, "cluster": UID of namespace kube-system}`;
  throw ApplicationFailure.nonRetryable(message, 'InvalidInput');
}
