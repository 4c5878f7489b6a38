/** One Machine, its cloud and its Node, as far as the workflow of the Machine can tell. */
import type { SearchAttributePair } from '@temporalio/common';
import { TypedSearchAttributes } from '@temporalio/common';
import { Context } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { machine, MachineInput } from '../../../workflows/machine/workflow.ts';
import type { CarriedMachine } from '../../../workflows/machine/carried.ts';
import type { DeletionHooks, HeldPart } from '../../../workflows/api/deletion-hooks.ts';
import type { DrainActivities } from '../../../workflows/contracts/drain-activities.ts';
import type { DriverActivities } from '../../../workflows/contracts/driver-activities.ts';
import type {
  MachineActivities,
  PreparedMachine,
} from '../../../workflows/contracts/machine-activities.ts';
import type { ReadNode } from '../../../workflows/contracts/snapshots.ts';
import type { MachineSnapshot, NodeSnapshot } from '../../../workflows/contracts/snapshots.ts';
import type { Launch, SnapshotVersion } from '../../../workflows/contracts/references.ts';
import {
  classChanged,
  machineGone,
  machineObserved,
  nodeObserved,
  stateQuery,
} from '../../../workflows/contracts/messages.ts';
import { workflowIdOf } from '../../../workflows/contracts/workflow-ids.ts';
import type { Steps } from '../../support/call-log.ts';
import { CallLog } from '../../support/call-log.ts';
import { eventually } from '../../support/eventually.ts';
import type { Queues, TemporalForTests } from '../../support/temporal.ts';

export const cluster = 'uid-of-kube-system';
export const instance = { providerID: 'local:///zone-1/i-1', nodeName: 'pool-a', isFound: false };

/** As a step reads it. */
export const readyNode: ReadNode = {
  name: instance.nodeName,
  uid: 'uid-of-node',
  providerID: instance.providerID,
  resourceVersion: '7',
  isReady: true,
  isDeleting: false,
  isWaitingForCriticalComponents: false,
};

export class MachineWorld {
  readonly log = new CallLog();
  readonly ref = { namespace: 'shoot', name: 'pool-a' };
  readonly workflowId: string;
  /** The object; a test changes it as a person with kubectl would. Undefined: there is none. */
  object: PreparedMachine;
  /** Of its activities. */
  readonly interceptors: ActivityInterceptorsFactory[] = [];
  /** What the watcher gives its run for a launch in one step. */
  launch: Launch | undefined;
  /** Watchers of earlier versions do not say since when it is being deleted. */
  saysSince = false;
  /** Queues without a worker. */
  readonly unserved = new Set<'driver' | 'drain'>();
  readonly #temporal: TemporalForTests;
  readonly #overrides: Partial<Steps>;
  #version = 100;

  private constructor(temporal: TemporalForTests, createdAt: number, overrides: Partial<Steps>) {
    this.#temporal = temporal;
    this.#overrides = overrides;
    // Several tests share a server: each has a namespace of its own.
    this.ref = { ...this.ref, namespace: `shoot-${crypto.randomUUID().slice(0, 8)}` };
    this.workflowId = workflowIdOf('machine', this.ref);
    this.object = {
      uid: 'uid-1',
      resourceVersion: '100',
      isDeleting: false,
      hasFinalizer: true,
      createdAt,
      className: 'small',
      provider: 'virtual',
      phase: '',
      createGeneration: 0,
      usesTarget: true,
      limits: {
        creationTimeoutSeconds: 1200,
        drainTimeoutSeconds: 7200,
        resourceExhaustedRetrySeconds: 600,
      },
    };
  }

  static async create(
    temporal: TemporalForTests,
    overrides: Partial<Steps> = {},
  ): Promise<MachineWorld> {
    return new MachineWorld(temporal, await temporal.now(), overrides);
  }

  get handle(): WorkflowHandle<typeof machine> {
    return this.#temporal.client.workflow.getHandle<typeof machine>(this.workflowId);
  }

  /** Runs a test with workers that serve this world. */
  async run(body: () => Promise<void>): Promise<void> {
    const workflow = { workflowId: this.workflowId, taskQueue: this.ref.namespace };
    await this.#temporal.withWorkflow(workflow, this.#queues(), body);
  }

  /** Starts the workflow as the watcher does: with a look at the object. */
  async begin(
    changes: Partial<MachineSnapshot> = {},
    shown: SearchAttributePair[] = [],
  ): Promise<void> {
    const launch = this.launch && { launch: this.launch };
    const input: MachineInput = { ref: this.ref, cluster, ...launch };
    await this.#temporal.client.workflow.signalWithStart<typeof machine, [MachineSnapshot]>(
      'machine',
      {
        taskQueue: this.ref.namespace,
        workflowId: this.workflowId,
        args: [input],
        typedSearchAttributes: new TypedSearchAttributes(shown),
        signal: machineObserved,
        signalArgs: [this.snapshot(changes)],
      },
    );
  }

  /** To the end of a launch: Running. */
  async beginAndJoin(): Promise<void> {
    await this.begin();
    await this.phase('Pending');
    await this.joinNode();
    await this.phase('Running');
  }

  async joinNode(changes: Partial<NodeSnapshot> = {}): Promise<void> {
    await this.handle.signal(nodeObserved, {
      ...this.sighting(),
      name: instance.nodeName,
      exists: true,
      uid: 'uid-of-node',
      providerID: instance.providerID,
      isReady: true,
      isDeleting: false,
      conditionsDigest: 'ready',
      ...changes,
    });
  }

  async observe(changes: Partial<MachineSnapshot> = {}): Promise<void> {
    await this.handle.signal(machineObserved, this.snapshot(changes));
  }

  /** `kubectl delete machine`, and the watcher's word of it. */
  async requestDeletion(): Promise<void> {
    const deletionRequestedAt = await this.#temporal.now();
    this.object = { ...this.object, isDeleting: true, deletionRequestedAt };
    await this.observe();
  }

  async vanish(): Promise<void> {
    await this.handle.signal(machineGone, { ...this.sighting(), uid: this.object.uid });
  }

  async repairClass(changes: Partial<SnapshotVersion> = {}): Promise<void> {
    await this.handle.signal(classChanged, { ...this.sighting(), ...changes });
  }

  async state(): Promise<CarriedMachine> {
    return await this.#temporal.answerOf<CarriedMachine>(this.handle, stateQuery.name);
  }

  async phase(phase: string): Promise<void> {
    await eventually(`phase ${phase}`, async () => (await this.state()).phase === phase);
  }

  async eventCount(): Promise<number> {
    return (await this.handle.describe()).historyLength;
  }

  snapshot(changes: Partial<MachineSnapshot> = {}): MachineSnapshot {
    const { uid, isDeleting, deletionRequestedAt, hasFinalizer, hooks } = this.object;
    const since = this.saysSince && deletionRequestedAt !== undefined && { deletionRequestedAt };
    const details = { specDigest: 'spec-1', forceDeletion: false, ...(hooks && { hooks }) };
    return { ...this.sighting(), uid, isDeleting, ...since, hasFinalizer, ...details, ...changes };
  }

  sighting(): SnapshotVersion {
    this.#version += 1;
    return { cluster, epoch: 1, resourceVersion: String(this.#version) };
  }

  /** A person edits the annotations, and the watcher signals it. */
  async hook(hooks?: DeletionHooks): Promise<void> {
    this.putHooks(hooks);
    await this.observe();
  }

  /** Without a word of the watcher yet. */
  putHooks(hooks?: DeletionHooks): void {
    const { hooks: _before, ...object } = this.object;
    this.object = { ...object, ...(hooks && { hooks }) };
  }

  /** The object as a read finds it now. */
  read(): PreparedMachine {
    this.#version += 1;
    return { ...this.object, resourceVersion: String(this.#version) };
  }

  /** Says on the object what it finds, as the activity does. */
  async #checkHooks(parts: readonly HeldPart[]): Promise<{ machine: PreparedMachine }> {
    const now = await this.#temporal.now();
    const isHeld = parts.some((part) => this.object.hooks?.[part] !== undefined);
    const { heldSince, ...object } = this.object;
    const isDrainFree = heldSince !== undefined && !isHeld && parts.includes('drain');
    this.object = {
      ...object,
      ...(isHeld && { heldSince: heldSince ?? now }),
      ...(isDrainFree && { drainHeldUntil: now }),
    };
    return { machine: this.read() };
  }

  #queues(): Queues {
    const steps = { ...this.#defaults(), ...this.#overrides };
    const {
      createInstance,
      launchMachine,
      deleteInstance,
      describeInstance,
      getConsoleOutput,
      drainNode,
      ...kube
    } = this.log.record(steps);
    const calls = { createInstance, deleteInstance, describeInstance, getConsoleOutput };
    const driver = { ...calls, ...(launchMachine && { launchMachine }) };
    return {
      kube,
      ...(!this.unserved.has('driver') && { driver }),
      ...(!this.unserved.has('drain') && { drain: { drainNode } }),
      interceptors: this.interceptors,
    };
  }

  #defaults(): MachineActivities &
    Pick<
      DriverActivities,
      'createInstance' | 'deleteInstance' | 'describeInstance' | 'getConsoleOutput'
    > &
    DrainActivities &
    Pick<Steps, 'preserveMachine' | 'recordMissingInstance'> {
    return {
      readAndClaimMachine: async () => ({ found: true, machine: this.read() }),
      findStaleNode: async () => ({ isStale: false }),
      recordCreated: async () => undefined,
      recordFailure: async () => undefined,
      recordJoined: async () => ({ hasJoined: true }),
      syncNode: async () => undefined,
      deleteWithNode: async () => ({ found: 'deleting' }),
      recordTimeout: async () => ({ found: 'tooLate' }),
      checkHealth: async () => ({ found: 'machine', finding: { phase: 'Running', faults: [] } }),
      preserveMachine: async () => ({ found: 'machine' }),
      applyMachineCommand: async ({ command }) => ({ words: `done: ${command.verb}` }),
      refuseCommand: async () => undefined,
      beginTeardown: async () => ({ machine: this.read() }),
      checkHooks: ({ parts }) => this.#checkHooks(parts),
      recordOperation: async () => undefined,
      findDriver: async () => ({ isServed: false }),
      findDrainWorker: async () => ({ isServed: false }),
      findProvider: async () => ({ found: true, provider: 'virtual' }),
      finishTeardown: async () => undefined,
      createInstance: async () => ({ outcome: 'created', instance }),
      deleteInstance: async () => ({
        outcome: 'deleted',
        isFound: true,
        settleSeconds: 30,
      }),
      describeInstance: async () => ({ outcome: 'missing', settleSeconds: 0 }),
      getConsoleOutput: async () => ({ outcome: 'read', text: 'kubelet: unauthorized' }),
      recordMissingInstance: async () => ({ found: 'lost' }),
      drainNode: async () => ({ evictedPods: 0, isForced: false }),
    };
  }
}

/** A cloud call that hangs until it is cancelled. */
export async function hang(): Promise<never> {
  const context = Context.current();
  const heartbeat = setInterval(() => context.heartbeat(), 200);
  try {
    return await context.cancelled;
  } finally {
    clearInterval(heartbeat);
  }
}
