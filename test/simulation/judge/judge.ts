/**
 * The judge of a simulated world: rules that must hold at every write of our processes and at each
 * happening in the cloud, and what a world lacks at its end. Its rules are MCM's and those of the
 * documents; it uses none of our planner's code.
 */
import { inspect } from 'node:util';
import type { World } from '../world/world.ts';
import { Ending } from './end/ending.ts';
import { Evidence } from './evidence.ts';
import type { Limits } from './evidence.ts';
import type { JudgedCloud } from './judged-cloud.ts';
import { searchPayloads } from './payloads.ts';
import type { JudgedWrite } from './rules/case.ts';
import { judgeInstances } from './rules/instance-rules.ts';
import { WriteRules } from './rules/write-rules.ts';
import { findSecret, hasSecret } from './secrets.ts';
import { watchOverdue } from './waits/overdue.ts';
import { watchPace } from './waits/pace.ts';
import { watchWaits } from './waits/waits.ts';

export interface JudgeOptions {
  cloud: JudgedCloud;
  /** By the flags of the processes; default those of `world/build-world.ts`. */
  limits?: Limits;
}

export interface Judge {
  /** To be called with every write of a process that an API server carried out. */
  hear(write: JudgedWrite): void;
  /** To be called with a line of a log of our processes. */
  hearLog(process: string, line: string): void;
  /**
   * To be called with payloads that reach Temporal.
   *
   * @param where For example `signal of machine/a/b`.
   */
  hearPayload(where: string, data: Uint8Array | null | undefined): void;
  /** What the world lacks to be as its users asked, a line for each thing; empty: nothing. */
  unmet(): string[];
  /** What happened since the last call that does not happen in a world at rest. */
  unrest(): string[];
}

/** To be called before the first process starts. */
export function createJudge(world: World, { cloud, limits }: JudgeOptions): Judge {
  const evidence = new Evidence(world, cloud, limits);
  judgeInstances(evidence);
  watchWaits(evidence);
  watchOverdue(evidence);
  watchPace(evidence);
  const writes = new WriteRules(evidence);
  const ending = new Ending(evidence);
  const accuse = (where: string, what: string): void =>
    evidence.rulings.against('no secret leaves', where, `${where}: ${what}`);
  const { simulation, temporal } = world;
  searchPayloads({
    simulation,
    engine: temporal.engine,
    accuse: (where) => accuse(where, 'a value of a Secret'),
  });
  return {
    hear(write) {
      try {
        ending.hear(write);
        writes.hear(write);
      } catch (error) {
        // The process whose call it was would take this for the answer of the API server.
        simulation.violate('a rule can be judged', inspect(error));
      }
    },
    hearLog(process, line) {
      const found = findSecret(line);
      if (found !== undefined) accuse(`the log of ${process}`, found);
    },
    hearPayload(where, data) {
      if (hasSecret(data)) accuse(where, 'a payload with a secret');
    },
    unmet: () => ending.unmet(),
    unrest: () => ending.unrest(),
  };
}
