/**
 * Activities that a driver serves, in any language. Requests and answers are in driver-contract.ts,
 * made from driver.schema.json, and docs/writing-a-driver.md says them in words.
 */
import type {
  CreateOutcome,
  DeleteOutcome,
  DriverContract,
  DriverRequest,
} from './driver-contract.ts';
import type { JoinRequest, NodeSyncOutcome } from './node-activities.ts';
import type { NodeSnapshot } from './snapshots.ts';

/**
 * Version of the contract that the core speaks. Version 1 had no field for it, no `pending`, and
 * one task queue for all calls of a provider.
 */
export const contractVersion = 2;

/** A pending operation is asked for again after an hour at the latest. */
export const longestPollSeconds = 3_600;

/** A worker of ours serves all of it; one of another language need not serve what is optional. */
type Contract = Required<DriverContract>;

/**
 * Served on the queues of `driverQueuesOf`. They write nothing to Kubernetes, can run twice and at
 * once with the same effect as once, and send a heartbeat each second. Words of the cloud are an
 * answer; an exception is none, and Temporal tries again.
 */
export type DriverActivities = {
  [Name in keyof Contract]: (request: Contract[Name]['input']) => Promise<Contract[Name]['output']>;
};

/** Beyond the contract: what a worker needs that goes on with the launch. */
export type LaunchRequest = DriverRequest & Pick<JoinRequest, 'nodeConditions'>;

/**
 * Beyond the contract, of a worker that serves the core as well: the ids of the instance are on the
 * Machine already, and no other instance has a Node of its name.
 */
export type RecordedCreateOutcome = CreateOutcome & {
  isRecorded?: boolean;
  /** The machine is Running, by this Node. */
  joined?: NodeSyncOutcome & { node: NodeSnapshot };
  /** The state of its Node that was seen last, where that is another one. */
  node?: NodeSnapshot;
};

/**
 * Beyond the contract, of a failure: a hook holds the deletion, and the cloud was not asked. The
 * drivers of others do not see the Machine; the core reads it before it asks them.
 */
export type HeldDeleteOutcome = DeleteOutcome & { isHeld?: boolean };

/**
 * Kinds of calls to a driver. Each has a queue and slots of its own: no scale-in holds up creates.
 */
export const driverCalls = ['create', 'delete', 'read'] as const;
export type DriverCall = (typeof driverCalls)[number];

/** On which queue each is asked. */
export const driverCallOf: Readonly<Record<keyof DriverActivities, DriverCall>> = {
  createInstance: 'create',
  deleteInstance: 'delete',
  deleteListed: 'delete',
  describeInstance: 'read',
  getConsoleOutput: 'read',
  validateClass: 'read',
  listInstances: 'read',
  volumeIds: 'read',
};
