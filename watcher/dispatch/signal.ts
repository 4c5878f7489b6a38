/** Signals that dispatch decides on: which workflow gets them. */
import type { SignalName, SignalPayloads } from '../../workflows/contracts/messages.ts';
import type { Kind } from '../../workflows/contracts/references.ts';
import type { OperationName } from '../../workflows/contracts/tracing.ts';
import type { MachineView, Resource } from '../cache/views.ts';

/** Texts of a new workflow before it has done anything. */
export interface Start {
  /** One line for the Temporal UI. */
  summary: string;
  machineSet?: string | undefined;
  machineDeployment?: string | undefined;
  machineClass?: string | undefined;
  /** Of its class; only for a new Machine. */
  provider?: string | undefined;
  /** Only for a Machine. */
  machine?: Pick<MachineView, 'phase' | 'createdAt' | 'creationTimeoutSeconds'>;
}

/** An operation that a change may begin. */
export interface OperationOrigin {
  operation: OperationName;
  /** UID of the object. */
  uid: string;
  /** Only for a MachineDeployment. */
  generation?: number;
}

/** Fields of a signal in traces: docs/tracing.md. */
export interface SignalTrace extends OperationOrigin {
  /** The last change of the MachineDeployment that a Machine belongs to. */
  cause?: OperationOrigin;
}

export interface Signal<N extends SignalName = SignalName> {
  kind: Kind;
  /** Name of the object in the namespace that is watched. */
  object: string;
  name: N;
  payload: SignalPayloads[N];
  /** Present: the workflow is started if it does not run. Only for objects that were seen live. */
  start?: Start;
  /** Absent: it begins nothing that is traced. */
  trace?: SignalTrace;
  /** The change behind it; it counts as signalled once Temporal has acknowledged the signal. */
  cause: { resource: Resource; resourceVersion: string };
}
