/**
 * One run: trouble by the plan, a quiet point after each round, everything deleted at the end. It
 * stops at the first violation.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { defaultOptions } from '../../deploy/local/options.ts';
import { needsOfStack } from '../../deploy/local/prepare/needs.ts';
import { prepare } from '../../deploy/local/prepare/prepare.ts';
import { className } from '../e2e/support/manifests.ts';
import { ActionLog } from './action-log.ts';
import { noWorkflow, perform } from './perform.ts';
import { planChaos, type Round, type Step } from './plan.ts';
import { brokenBounds } from './pool-bounds.ts';
import { awaitQuiet } from './quiet-point.ts';
import { RecoveryProbe } from './recovery.ts';
import { repairsOf, unexplained } from './repairs.ts';
import { Tally } from './tally.ts';
import type { Wish } from './wishes.ts';
import { deleteWorst } from './worst.ts';
import {
  actionLogOf,
  deleteEverything,
  nameOf,
  openWorld,
  persistently,
  probe,
  type World,
} from './world.ts';

export interface ChaosOptions {
  seed: number;
  /** Time in which something is done. */
  minutes: number;
  /** Where the stack's state and logs lie. */
  stateDir: string;
  /** How long everything may take to come to rest. */
  settleSeconds: number;
}

/**
 * Starts a stack of its own and stops it again. Broken invariants are in the tally's violations.
 */
export async function runChaos(options: ChaosOptions): Promise<Tally> {
  await prepare(needsOfStack(defaultOptions));
  await using world = await openWorld(options.stateDir);
  return await new Chaos(world, options).run();
}

class Chaos {
  readonly #world: World;
  readonly #options: ChaosOptions;
  readonly #tally = new Tally();
  readonly #recovery: RecoveryProbe;
  readonly #log: ActionLog;
  #terminated = 0;

  constructor(world: World, options: ChaosOptions) {
    this.#world = world;
    this.#options = options;
    this.#recovery = new RecoveryProbe(world);
    this.#log = new ActionLog(actionLogOf(options.stateDir));
  }

  async run(): Promise<Tally> {
    const rounds = planChaos(this.#options);
    try {
      for (const [index, round] of rounds.entries()) {
        await this.#runRound(round, index);
        console.log(
          `round ${index + 1} of ${rounds.length}: ${this.#tally.violations.length} violations`,
        );
        if (this.#tally.violations.length > 0) break;
      }
      if (this.#tally.violations.length === 0) await this.#end(rounds.length);
    } catch (error) {
      this.#tally.violations.push(error instanceof Error ? error.message : String(error));
    }
    await this.#count();
    return this.#tally;
  }

  async #runRound(round: Round, index: number): Promise<void> {
    const { recorder } = this.#world;
    const from = recorder.mark();
    for (const step of round.steps) await this.#take(step, index);
    await this.#recovery.settled();
    await persistently('the tenant deletes', () => deleteWorst(this.#world.cluster));
    await this.#quiet(round.wishes, index);
    const states = recorder.states.slice(from);
    this.#tally.statesChecked += states.length;
    this.#tally.violations.push(...brokenBounds(states, round));
    this.#recovery.begin('nothing');
    await this.#recovery.settled();
  }

  async #take({ afterMilliseconds, action }: Step, round: number): Promise<void> {
    await delay(afterMilliseconds);
    const target = await perform(this.#world, action);
    this.#log.add({ round, type: action.type, target });
    this.#tally.add('action', action.type);
    const isEnd = action.type === 'terminate' || action.type === 'reset';
    if (isEnd && target !== noWorkflow) this.#terminated += 1;
    if (action.type !== 'kill') return;
    this.#tally.add('kill', action.component);
    this.#recovery.begin(action.component);
  }

  async #quiet(pools: Readonly<Record<string, Wish>>, round: number): Promise<void> {
    const wanted = Object.entries(pools).map(([pool, wish]) => [nameOf(pool), wish] as const);
    const wishes = { ...Object.fromEntries(wanted), [probe]: { replicas: 0, class: className } };
    await this.#settle(wishes);
    this.#log.add({ round, type: 'quiet', target: `${this.#tally.violations.length} violations` });
  }

  async #settle(wishes: Readonly<Record<string, Wish>>): Promise<void> {
    const { settleSeconds: limitSeconds } = this.#options;
    await awaitQuiet(this.#world, this.#tally, { wishes, limitSeconds });
  }

  async #end(round: number): Promise<void> {
    await persistently('everything is deleted', () => deleteEverything(this.#world));
    this.#log.add({ round, type: 'end', target: 'everything' });
    await this.#settle({});
  }

  async #count(): Promise<void> {
    const { cloud, recorder, workflows } = this.#world;
    const { operations } = await persistently('the virtual cloud tells its calls', () =>
      cloud.calls(),
    );
    const repairs = await persistently('the checks tell what they repaired', () =>
      repairsOf(workflows),
    );
    const causes = { terminated: this.#terminated, vanished: this.#tally.of('fault', 'vanish') };
    this.#tally.repairs = repairs;
    this.#tally.violations.push(...unexplained(repairs, causes));
    this.#tally.recoveries = this.#recovery.recoveries;
    this.#tally.machinesCreated = recorder.machineNames.size;
    this.#tally.vmsCreated = operations['create']?.['created'] ?? 0;
    this.#tally.vmsDeleted = operations['delete']?.['ok'] ?? 0;
  }
}
