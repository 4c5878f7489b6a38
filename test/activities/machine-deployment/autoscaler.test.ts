/**
 * The cluster autoscaler lowers `replicas` and names the machines that are to go. The deployment
 * carries that to machines and sets one write at a time, and may be killed between any two of them,
 * for as long as a set takes to do all that it then sees.
 */
import { customResource } from '../../../kube/client/paths.ts';
import { createMachines } from '../../../activities/machine-set/batches.ts';
import { deleteMachines } from '../../../activities/machine-set/deletions.ts';
import { observeMachineSet } from '../../../activities/machine-set/observe.ts';
import type { Machine } from '../../../workflows/api/machine.ts';
import { planMachineSet } from '../../../workflows/plan/machine-set/plan.ts';
import { aMachineDeployment, namespace } from '../../support/builders.ts';
import { DeploymentWorld } from './deployment-world.ts';

const listKey = 'node.machine.sapcloud.io/trigger-deletion-by-mcm';
const timeKey = 'machine.sapcloud.io/last-deployment-replica-change-by-scaler-time';
const earlier = '2026-01-01T00:40:00Z';
const time = '2026-01-01T00:50:00Z';

interface Change {
  replicas?: number;
  /** Machines by their place among the five, e.g. `[3, 4]`. */
  marked?: number[];
  /** How the list is written. Default: each name with its time. */
  isTimeless?: boolean;
  scaledAt?: string;
}

interface Script {
  name: string;
  changes: Change[];
  /** The autoscaler never says when it changed the number. Default false. */
  isSilent?: boolean;
  /** Places of the machines that are to be left; those that are made are not among the five. */
  left: number[];
  made?: number;
}

const oneWrite = { replicas: 3, marked: [3, 4], scaledAt: time };
const scripts: Script[] = [
  { name: 'in one write', changes: [oneWrite], left: [0, 1, 2] },
  {
    name: 'without times in the list',
    changes: [{ ...oneWrite, isTimeless: true }],
    left: [0, 1, 2],
  },
  {
    name: 'without the time of the change',
    changes: [{ replicas: 3, marked: [3, 4] }],
    left: [0, 1, 2],
  },
  {
    name: 'by names alone',
    changes: [{ replicas: 3, marked: [3, 4], isTimeless: true }],
    left: [0, 1, 2],
  },
  {
    name: 'of one that never gives the time of the change',
    isSilent: true,
    changes: [{ replicas: 3, marked: [3, 4] }],
    left: [0, 1, 2],
  },
  {
    name: 'by names alone, of one that never gives the time of the change',
    isSilent: true,
    changes: [{ replicas: 3, marked: [3, 4], isTimeless: true }],
    left: [0, 1, 2],
  },
  {
    name: 'of one that never gives the time, with the list before the number',
    isSilent: true,
    changes: [{ marked: [3, 4] }, { replicas: 3 }],
    left: [0, 1, 2],
  },
  {
    name: 'of one that never gives the time, while another client takes it back in the same second',
    isSilent: true,
    changes: [{ replicas: 3, marked: [3, 4] }, { replicas: 5 }],
    left: [0, 1, 2],
    made: 2,
  },
  {
    name: 'of one that gave the time of an earlier change only, while another client takes it back',
    changes: [{ replicas: 3, marked: [3, 4] }, { replicas: 5 }],
    left: [0, 1, 2],
    made: 2,
  },
  {
    name: 'twice in one second',
    changes: [{ replicas: 4, marked: [4], scaledAt: time }, oneWrite],
    left: [0, 1, 2],
  },
  {
    name: 'with the list before the number',
    changes: [{ marked: [3, 4] }, { replicas: 3, scaledAt: time }],
    left: [0, 1, 2],
  },
  {
    name: 'while another client takes one more in the same second',
    changes: [oneWrite, { replicas: 2 }],
    left: [1, 2],
  },
  {
    name: 'while another client takes it back in the same second',
    changes: [oneWrite, { replicas: 5 }],
    left: [0, 1, 2],
    made: 2,
  },
];

/** The machines are told apart by their age, so a scale-down without marks takes the first. */
class Pool extends DeploymentWorld {
  readonly names = [0, 1, 2, 3, 4].map((place) => `workers-${place}`);
  /** Writes of the deployment that are carried out before it is killed. */
  lives = Infinity;
  writes = 0;
  /** Machines that the set has made beside the five. */
  made = 0;

  async begin({ isSilent = false }: Pick<Script, 'isSilent'>): Promise<void> {
    if (!isSilent) await this.annotate({ [timeKey]: earlier });
    await this.step();
    await this.step();
    const set = await this.set();
    for (const name of this.names) this.addMachine(set, { metadata: { name } });
    await this.letSetAct();
    while ((await this.step()).length > 0);
    this.control.fault = ({ method, path }) => this.#countWrite(method, path);
  }

  #countWrite(method: string, path: string) {
    if (method !== 'PATCH' || path.endsWith('/status') || this.lives === Infinity) return undefined;
    this.writes += 1;
    return this.writes > this.lives ? { code: 503, reason: 'ServiceUnavailable' } : undefined;
  }

  /** So late that no number comes after the list any more. */
  async wait(): Promise<void> {
    const facts = await this.survey();
    if (facts.nextScaledAt !== undefined) this.now = facts.nextScaledAt;
  }

  async happen({ replicas, marked, isTimeless = false, scaledAt }: Change): Promise<void> {
    const names = marked?.map((place) => this.names[place] ?? '');
    const list = names?.map((name) => (isTimeless ? name : `${name}~${time}`)).join();
    await this.change({
      metadata: {
        annotations: {
          ...(list !== undefined && { [listKey]: list }),
          ...(scaledAt !== undefined && { [timeKey]: scaledAt }),
        },
      },
      ...(replicas !== undefined && { spec: { replicas } }),
    });
  }

  /** One look and its writes, until it is killed. Returns whether it had anything to do. */
  async actUntilKilled(lives: number): Promise<boolean> {
    Object.assign(this, { lives, writes: 0 });
    try {
      return (await this.step()).length > 0;
    } catch {
      return true;
    } finally {
      this.lives = Infinity;
    }
  }

  /** All that the set does on its own before the deployment acts again. */
  async letSetAct(): Promise<void> {
    for (let turns = 0; turns < 20; turns += 1) {
      if (!(await this.#setTurn())) return;
    }
    throw new Error('the set does not come to rest');
  }

  async #setTurn(): Promise<boolean> {
    const { metadata } = await this.set();
    const { name, uid } = metadata;
    const life = { namespace, name, uid };
    const input = { set: { namespace, name }, now: this.now };
    const outcome = await observeMachineSet(this.world, input);
    if (!outcome.found) throw new Error('the set is gone');
    const { observation } = outcome;
    const step = planMachineSet({ observation, createdSince: 0, batchSize: 10 }, this.now);
    const { generation, replicas } = observation.desired;
    if (step.action === 'delete') {
      await deleteMachines(this.world, {
        set: life,
        names: step.names,
        generation,
        now: this.now,
      });
      return true;
    }
    if (step.action !== 'create') return false;
    const names = Array.from({ length: step.count }, () => this.#newName());
    const progress = {
      done: [],
      report: () => undefined,
      made: () => undefined,
      isSuperseded: () => false,
    };
    const basis = { generation, replicas };
    await createMachines(this.world, { set: life, names, basis }, progress);
    // Without its finalizer a machine is gone as soon as it is deleted.
    for (const made of names) {
      const path = customResource('machines', namespace, made);
      const machine = await this.control.read<Machine>(path);
      this.control.put({ ...machine, metadata: { ...machine.metadata, finalizers: [] } });
    }
    return true;
  }

  #newName(): string {
    this.made += 1;
    return `made-${this.made}`;
  }

  async finish(): Promise<void> {
    for (let turns = 0; turns < 20; turns += 1) {
      const isBusy = await this.actUntilKilled(Infinity);
      await this.letSetAct();
      if (!isBusy) return;
    }
    throw new Error('the deployment does not come to rest');
  }

  async present(): Promise<string[]> {
    const machines = await this.machinesOf(await this.set());
    return machines.map(({ metadata }) => metadata.name).toSorted();
  }
}

async function aPool(script: Pick<Script, 'isSilent'>): Promise<Pool> {
  const pool = new Pool(aMachineDeployment({ spec: { replicas: 5 } }));
  await pool.begin(script);
  return pool;
}

/** Kills the deployment after so many writes of each look, for some looks, after each change. */
async function play(script: Script, { lives, looks }: { lives: number; looks: number }) {
  const pool = await aPool(script);
  for (const change of script.changes) {
    await pool.happen(change);
    for (let look = 0; look < looks; look += 1) {
      await pool.actUntilKilled(lives);
      await pool.letSetAct();
    }
  }
  await pool.finish();
  await pool.wait();
  await pool.finish();
  return pool;
}

const kills = [0, 1, 2, 3, 4, 5].flatMap((lives) => [1, 2, 3].map((looks) => ({ lives, looks })));

describe.each(scripts)('a scale-down of the autoscaler $name', (script) => {
  test.each(kills)(
    'takes the named machines, and no other, when each of $looks looks is killed after $lives writes',
    async (kill) => {
      const pool = await play(script, kill);
      const present = await pool.present();
      const left = script.left.map((place) => pool.names[place]);
      expect(present.filter((name) => !name.startsWith('made-'))).toEqual(left);
      expect(pool.made).toBe(script.made ?? 0);
    },
  );
});
