/** One MachineSet or MachineDeployment, as far as its workflow can tell. */
import type { WorkflowHandle } from '@temporalio/client';
import type { ObservedMachineSet } from '../../../workflows/plan/machine-set/plan.ts';
import type { Kind, SnapshotVersion } from '../../../workflows/contracts/references.ts';
import type { MachinesSnapshot, SetSnapshot } from '../../../workflows/contracts/snapshots.ts';
import { machineSetsChanged, machinesChanged } from '../../../workflows/contracts/messages.ts';
import { workflowIdOf } from '../../../workflows/contracts/workflow-ids.ts';
import type { Steps } from '../../support/call-log.ts';
import { CallLog } from '../../support/call-log.ts';
import type { TemporalForTests } from '../../support/temporal.ts';
import { cluster } from '../machine/machine-world.ts';

type SetKind = Extract<Kind, 'machineSet' | 'machineDeployment'>;

export class SetWorld {
  readonly log = new CallLog();
  readonly ref = { namespace: `shoot-${crypto.randomUUID().slice(0, 8)}`, name: 'pool' };
  readonly workflowId: string;
  readonly #temporal: TemporalForTests;
  readonly #kind: SetKind;
  readonly #steps: Partial<Steps>;
  #version = 100;

  constructor(temporal: TemporalForTests, kind: SetKind, steps: Partial<Steps>) {
    this.#temporal = temporal;
    this.#kind = kind;
    this.#steps = steps;
    this.workflowId = workflowIdOf(kind, this.ref);
  }

  get handle(): WorkflowHandle {
    return this.#temporal.client.workflow.getHandle(this.workflowId);
  }

  async run(body: () => Promise<void>): Promise<void> {
    const queues = { kube: this.log.record(this.#steps) };
    const workflow = { workflowId: this.workflowId, taskQueue: this.ref.namespace };
    await this.#temporal.withWorkflow(workflow, queues, body);
  }

  /** The watcher saw the object: the first time this starts the workflow. */
  async observe(changes: Partial<SetSnapshot> = {}, options: object = {}): Promise<void> {
    this.#version += 1;
    const seen: SetSnapshot = {
      cluster,
      epoch: 1,
      resourceVersion: String(this.#version),
      uid: 'uid-1',
      generation: 1,
      isDeleting: false,
      hasFinalizer: true,
      metadataDigest: 'm',
      ...changes,
    };
    await this.#temporal.client.workflow.signalWithStart(this.#kind, {
      taskQueue: this.ref.namespace,
      workflowId: this.workflowId,
      args: [{ ref: this.ref, cluster }],
      signal: `${this.#kind}Observed`,
      signalArgs: [seen],
      ...options,
    });
  }

  /** The watcher saw a change of the deployment's sets. */
  async changeSets(changes: Partial<SnapshotVersion> = {}): Promise<void> {
    this.#version += 1;
    const sighting = { cluster, epoch: 1, resourceVersion: String(this.#version) };
    await this.handle.signal(machineSetsChanged, { ...sighting, ...changes });
  }

  /** The watcher saw a change of the set's machines. */
  async changeMachines(changes: Partial<MachinesSnapshot> = {}): Promise<void> {
    this.#version += 1;
    const sighting = { cluster, epoch: 1, resourceVersion: String(this.#version) };
    await this.handle.signal(machinesChanged, { ...sighting, ...changes });
  }
}

/** Machines in memory: what a survey of them finds, and what batches do to them. */
export class Machines {
  readonly names = new Set<string>();
  replicas: number;
  isDeleting = false;
  generation = 1;
  /** Names of machines that differ from the template. */
  readonly unlike = new Set<string>();

  constructor(replicas: number) {
    this.replicas = replicas;
  }

  steps() {
    return {
      observeMachineSet: async () => ({
        found: true as const,
        uid: 'uid-1',
        resourceVersion: '1',
        observation: this.#observation(),
      }),
      createMachines: async ({ names }: { names: string[] }) => {
        for (const name of names) this.names.add(name);
        return { created: names, taken: [] };
      },
      deleteMachines: async ({ names }: { names: string[] }) => {
        for (const name of names) this.names.delete(name);
        return { deleted: names.length };
      },
      pushTemplate: async ({ names }: { names: string[] }) => {
        for (const name of names) this.unlike.delete(name);
        return { generation: this.generation, names: [] as string[] };
      },
      releaseMachineSet: async () => undefined,
    };
  }

  #observation(): ObservedMachineSet {
    const names = [...this.names];
    const surplus = this.isDeleting ? names : names.slice(this.replicas);
    return {
      desired: {
        isDeleting: this.isDeleting,
        hasFinalizer: true,
        isOrphaning: false,
        generation: this.generation,
        replicas: this.replicas,
        faults: [],
      },
      total: names.length,
      present: names.length,
      failed: { total: 0, preserved: 0, held: 0 },
      ...(this.unlike.size > 0 && { toPush: [...this.unlike] }),
      toDelete: { names: surplus, reason: 'surplus' },
    };
  }
}
