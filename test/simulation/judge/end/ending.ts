/** What a world lacks to be as its users asked, and what keeps it from being at rest. */
import type { Install } from '../../world/world.ts';
import type { Evidence } from '../evidence.ts';
import { listOf } from '../objects.ts';
import type { JudgedKind, JudgedObject } from '../objects.ts';
import type { JudgedWrite } from '../rules/case.ts';
import { openWorkflows } from '../waits/workflows.ts';
import type { Objects } from './end-parts.ts';
import { unmetInstances, unmetNodes, unmetTokens } from './leftovers.ts';
import { unmetMachine } from './machines.ts';
import { unmetDeployment, unmetOldSets, unmetSet } from './owners.ts';
import { unmetProtection } from './protection.ts';
import { Witness } from './witness.ts';
import { unmetWorkflows } from './workflows.ts';

/** A line for each kind of write is enough. */
const longestUnrest = 20;

export class Ending {
  readonly #evidence: Evidence;
  readonly #witness: Witness;
  /** Since the last question, by what was written. */
  #writes = new Map<string, number>();
  #events: ReadonlyMap<string, string> = new Map();

  constructor(evidence: Evidence) {
    this.#evidence = evidence;
    this.#witness = new Witness(evidence);
  }

  hear(write: JudgedWrite): void {
    this.#witness.hear(write);
    const { path, method, process } = write;
    // Windows open and close at any time, and policies say so.
    if (path.includes('/leases') || path.includes('/disruptionpolicies/')) return;
    const what = `${process.name}: ${method} ${path}`;
    this.#writes.set(what, (this.#writes.get(what) ?? 0) + 1);
  }

  unmet(): string[] {
    this.#evidence.catchUp();
    return this.#evidence.world.installs.flatMap((install) => this.#unmetOf(install));
  }

  /** Writes but to Leases, and events of workflows but those of the checks. */
  unrest(): string[] {
    const writes = Array.from(this.#writes, ([what, times]) => `${what}, ${times} times`);
    this.#writes = new Map();
    const before = this.#events;
    this.#events = this.#eventsNow();
    const news = Array.from(this.#events)
      .filter(([id, mark]) => before.get(id) !== mark)
      .map(([id]) => `the workflow ${id} has new events`);
    const ended = Array.from(before.keys())
      .filter((id) => !this.#events.has(id))
      .map((id) => `the workflow ${id} ended`);
    return [...writes, ...news, ...ended].slice(0, longestUnrest);
  }

  #eventsNow(): ReadonlyMap<string, string> {
    const open = openWorkflows(this.#evidence.world.temporal.engine);
    return new Map(
      Array.from(open)
        .filter(([id]) => !id.startsWith('safety/'))
        .map(([id, { runId, events }]) => [id, `${runId} ${events}`] as const),
    );
  }

  #unmetOf(install: Install): string[] {
    const evidence = this.#evidence;
    const list = (kind: JudgedKind): JudgedObject[] =>
      listOf(install.control, kind, install.namespace);
    const objects: Objects = {
      machines: list('machines'),
      sets: list('machinesets'),
      deployments: list('machinedeployments'),
      classes: list('machineclasses'),
    };
    const parts = { evidence, install, objects, witness: this.#witness };
    return [
      ...objects.machines.flatMap((machine) => unmetMachine(parts, machine)),
      ...objects.sets.flatMap((set) => unmetSet(objects, set)),
      ...objects.deployments.flatMap((deployment) => [
        ...unmetDeployment(objects, deployment),
        ...unmetOldSets(objects, deployment),
      ]),
      ...unmetInstances(parts),
      ...unmetNodes(parts),
      ...unmetTokens(parts),
      ...unmetProtection(parts),
      ...unmetWorkflows(parts),
    ];
  }
}
