/** Conditions for an activity to begin: one table for all, so that a new one must choose. */
import type { DrainActivities } from '../workflows/contracts/drain-activities.ts';
import type { DriverActivities } from '../workflows/contracts/driver-activities.ts';
import type { LaunchActivities } from '../workflows/contracts/launch-activities.ts';
import type { KubeActivities } from '../workflows/contracts/kube-activities.ts';
import type { ObjectReference } from '../workflows/contracts/references.ts';
import type { OrphanActivities } from '../workflows/contracts/safety-activities.ts';
import type { EventSubject } from '../kube/objects/event.ts';
import { requireLeader, requireActiveWatcher } from './runtime/leader-gate.ts';
import type { GateDependencies } from './runtime/leader-gate.ts';
import { setSubject } from './machine-set/batch-events.ts';
import { machineSubject } from './machine/object.ts';

export type Gate =
  /**
   * Creates or destroys: not while a person has stopped everything, and only while a watcher holds
   * the Lease.
   */
  | 'stop'
  /** Writes to Kubernetes: only while a watcher holds the Lease. It goes on during a stop. */
  | 'leader'
  /** Reads, or writes to Temporal alone. */
  | 'none';

export type DriverQueueActivities = DriverActivities & LaunchActivities & OrphanActivities;

export type ActivityName = keyof (KubeActivities & DrainActivities & DriverQueueActivities);

/** Gates of the activities in the core's queue. */
const kubeGates: Readonly<Record<keyof KubeActivities, Gate>> = {
  readAndClaimMachine: 'leader',
  findStaleNode: 'none',
  recordCreated: 'leader',
  recordFailure: 'leader',
  recordJoined: 'leader',
  syncNode: 'leader',
  recordTimeout: 'leader',
  recordMissingInstance: 'leader',
  // It asks itself: without a leader it answers that it could not check. Before it deletes a
  // Machine it asks for more.
  checkHealth: 'none',
  deleteWithNode: 'stop',
  preserveMachine: 'leader',
  updateInPlace: 'leader',
  applyMachineCommand: 'leader',
  refuseCommand: 'leader',
  beginTeardown: 'leader',
  checkHooks: 'leader',
  recordOperation: 'leader',
  findDriver: 'none',
  findDrainWorker: 'none',
  findProvider: 'none',
  finishTeardown: 'stop',

  observeMachineSet: 'leader',
  createMachines: 'stop',
  deleteMachines: 'stop',
  waitForResume: 'stop',
  markPreserved: 'leader',
  pushTemplate: 'leader',
  releaseMachineSet: 'leader',

  observeMachineDeployment: 'leader',
  applyDeploymentSteps: 'leader',
  updateRolloutNodes: 'leader',
  applyRolloutCommand: 'leader',
  reportDeployment: 'leader',

  protectFromDeletion: 'leader',
  readMachineClass: 'none',
  reportClass: 'leader',
  reportAcceptance: 'leader',

  findProviders: 'none',
  evaluateListings: 'none',
  reportOrphans: 'leader',
  signalMissingInstances: 'leader',
  reportCredentials: 'leader',
  checkOvershoot: 'none',
  applyFreezes: 'leader',
  compareWorkflows: 'none',
  // It signals workflows, also for a watcher that is away; what they do has gates of its own.
  repairWorkflows: 'none',
  checkServers: 'none',
  markUnmanagedNodes: 'leader',
};

const drainGates: Readonly<Record<keyof DrainActivities, Gate>> = {
  // Once the Machine says Terminating it asks for more itself.
  drainNode: 'leader',
};

/** Gates of the activities in the queues of a driver. */
const driverGates: Readonly<Record<keyof DriverQueueActivities, Gate>> = {
  createInstance: 'stop',
  launchMachine: 'stop',
  deleteInstance: 'stop',
  describeInstance: 'none',
  getConsoleOutput: 'none',
  validateClass: 'none',
  listInstances: 'none',
  deleteListed: 'stop',
  volumeIds: 'none',
  findOrphans: 'none',
  checkFinally: 'none',
  deleteOrphan: 'stop',
};

export const gates: Readonly<Record<ActivityName, Gate>> = {
  ...kubeGates,
  ...drainGates,
  ...driverGates,
};

/** Every activity of a queue, by the names that workflows call. */
export const kubeActivityNames = namesOf(kubeGates);
export const drainActivityNames = namesOf(drainGates);
export const driverActivityNames = namesOf(driverGates);

function namesOf<Name extends string>(table: Readonly<Record<Name, Gate>>): readonly Name[] {
  const isName = (name: string): name is Name => Object.hasOwn(table, name);
  return Object.keys(table).filter(isName);
}

/**
 * Fails while the gate is closed. `input`: of the activity; its Machine or MachineSet gets an Event
 * of a stop.
 */
export type Guard = (gate: Gate, input: unknown) => Promise<void>;

export function createGuard(place: GateDependencies): Guard {
  return async (gate, input) => {
    if (gate === 'stop') await requireActiveWatcher(place, subjectOf(input));
    if (gate === 'leader') requireLeader(place);
  };
}

/** The same activities, each behind its gate. */
export function gated<Steps extends object>(steps: Steps, guard: Guard): Steps {
  const result = { ...steps };
  for (const [name, step] of Object.entries(steps)) {
    const gate = gateOf(name);
    Reflect.set(result, name, async (input: unknown) => {
      await guard(gate, input);
      return await step(input);
    });
  }
  return result;
}

function gateOf(name: string): Gate {
  const gate = Object.entries(gates).find(([known]) => known === name)?.[1];
  if (gate === undefined) throw new Error(`activity ${name} has no gate: see activities/gates.ts`);
  return gate;
}

function subjectOf(input: unknown): EventSubject | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  if ('machine' in input && isLife(input.machine)) return machineSubject(input.machine);
  if ('set' in input && isLife(input.set)) return setSubject(input.set);
  return undefined;
}

function isLife(ref: unknown): ref is ObjectReference {
  if (typeof ref !== 'object' || ref === null) return false;
  const fields = ['namespace', 'name', 'uid'].map((field): unknown => Reflect.get(ref, field));
  return fields.every((field) => typeof field === 'string');
}
