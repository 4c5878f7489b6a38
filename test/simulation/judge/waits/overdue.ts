/**
 * What has to happen by itself, and soon: a state that may be for a moment must not last. A state
 * counts from the moment at which nothing hinders the install any more, and not while no worker
 * asks for work: one that begins while the target cluster is away waits for it.
 */
import type { Evidence } from '../evidence.ts';
import type { Install } from '../../world/world.ts';
import { deletionStates } from './states/deletion.ts';
import { inPlaceStates } from './states/in-place.ts';
import { joiningStates } from './states/joining.ts';
import { mendedStates } from './states/mended.ts';
import type { Passing } from './states/passing.ts';
import { policyStates } from './states/policies.ts';
import { sizeStates } from './states/sizes.ts';
import { statusStates } from './states/statuses.ts';

/** How often it is checked. Milliseconds. */
const periodMs = 30_000;

const passing: readonly Passing[] = [
  ...joiningStates,
  ...deletionStates,
  ...mendedStates,
  ...sizeStates,
  ...statusStates,
  ...policyStates,
  ...inPlaceStates,
];

export const passingRules: readonly string[] = passing.map(({ rule }) => rule);

export function watchOverdue(evidence: Evidence): void {
  const watches = evidence.world.installs.flatMap((install) =>
    passing.map((state) => new Watch(evidence, install, state)),
  );
  const again = (): void => {
    evidence.simulation.after(periodMs, () => {
      evidence.catchUp();
      for (const watch of watches) watch.check();
      again();
    });
  };
  again();
}

class Watch {
  readonly #evidence: Evidence;
  readonly #install: Install;
  readonly #state: Passing;
  /** Since when it is so, by subject. */
  #since = new Map<string, number>();

  constructor(evidence: Evidence, install: Install, state: Passing) {
    this.#evidence = evidence;
    this.#install = install;
    this.#state = state;
  }

  check(): void {
    const { now } = this.#evidence.simulation;
    const { isWorkerless } = this.#evidence.authorityOf(this.#install);
    const before = this.#since;
    this.#since = new Map();
    if (this.#isHindered) return;
    for (const { subject, text } of this.#state.find(this.#evidence, this.#install)) {
      const since = before.get(subject) ?? now;
      this.#since.set(subject, since);
      const lastsMs = now - since - isWorkerless.lengthSince(since, now);
      if (lastsMs < this.#state.patienceMs) continue;
      const minutes = Math.round(lastsMs / 60_000);
      this.#evidence.rulings.against(this.#state.rule, subject, `${text}, for ${minutes} min`);
    }
  }

  get #isHindered(): boolean {
    const { simulation, world } = this.#evidence;
    const install = this.#install;
    const { isStopped, isLeaderless, isControlAway, isTargetAway, isSlow } =
      this.#evidence.authorityOf(install);
    const { despite } = this.#state;
    const traces = [
      isLeaderless,
      isControlAway,
      isSlow,
      ...(despite === 'stop' ? [] : [isStopped]),
      ...(despite === 'target' ? [] : [isTargetAway]),
    ];
    const since = simulation.now - periodMs;
    const servers = ['temporal', 'cloud', ...[install.control, install.target].map(nameOf)];
    const isCut = install.replicas.some(({ process }) =>
      servers.some((server) => process && world.weather.isCut(process, server)),
    );
    return isCut || traces.some((trace) => trace.since(since).includes(true));
  }
}

const nameOf = ({ name }: { name: string }): string => name;
