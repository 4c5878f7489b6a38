import { sumOf } from './actions.ts';
import { requestsOfControllers } from './audit.ts';
import type { QueueWaits } from './queue-waits.ts';
import type { Quantiles } from './quantiles.ts';
import type { Part, Parts } from './measure.ts';
import type { WorkerShare } from './worker-metrics.ts';

/** For people by default, each part as it comes; JSON of all of them for programs. */
export async function printReport(parts: Parts, asJson: boolean): Promise<Part[]> {
  const all: Part[] = [];
  for await (const part of parts) {
    all.push(part);
    if (!asJson) console.log(textOf(part));
  }
  if (asJson) console.log(JSON.stringify(all, undefined, 2));
  return all;
}

function textOf(part: Part): string {
  const { name, machines, seconds, perMachine, bounds, eventsPerMachine, longestRun } = part;
  const { lostTasks } = part;
  const { writes, events, reads } = requestsOfControllers(part.requests);
  const lines = [
    `\n${name} ${machines}: ${seconds.toFixed(2)} s`,
    perMachine &&
      `  per machine       p50 ${perMachine.p50.toFixed(2)} s, p95 ${perMachine.p95.toFixed(2)} s, max ${perMachine.max.toFixed(2)} s`,
    `  API requests      ${(writes / machines).toFixed(2)} writes (${(events / machines).toFixed(2)} of them Events) and ${(reads / machines).toFixed(2)} reads of ours per machine`,
    ...loneOf(part),
    bounds &&
      `  machines          at least ${bounds.minAvailable} available, at most ${bounds.maxTotal} in all`,
    `  history events    ${eventsPerMachine.toFixed(1)} per machine`,
    `  actions           ${actionsText(part)}`,
    `  workflow tasks    ${lostTasks} done in vain, as their time was over`,
    longestRun &&
      `  longest history   ${longestRun.events} events in one run of ${longestRun.workflowId}`,
    ...eventTypesOf(part),
    ...sharesOf(part),
    ...usersOf(part),
    ...processesOf(part),
  ];
  return lines.filter((line) => line !== undefined).join('\n');
}

/** Of Temporal Cloud; the most frequent first. */
function actionsText({ actions, machines }: Part): string {
  const sorted = Object.entries(actions).toSorted(([, a], [, b]) => b - a);
  const texts = sorted.map(([kind, count]) => `${kind} ${(count / machines).toFixed(2)}`);
  return `${(sumOf(actions) / machines).toFixed(1)} per machine (${texts.join(', ')})`;
}

function loneOf({ lone }: Part): string[] {
  if (!lone) return [];
  const { samples, phases } = lone;
  const { created, begun, instance, running, beyondBoot, gone } = phases;
  return [
    `  ${samples} lone machines, seconds`,
    `    from scale to Machine         ${quantilesText(created)}`,
    `    from there to its workflow    ${quantilesText(begun)}`,
    `    from the Machine to instance    ${quantilesText(instance)}`,
    `    to Running, less the boot     ${quantilesText(running)}`,
    `    beyond the boot, of the two   ${quantilesText(beyondBoot)}`,
    `    from scale-in to gone         ${quantilesText(gone)}`,
    ...waitsOf('Machines', lone.machines),
    ...waitsOf('their sets', lone.owners),
  ];
}

function waitsOf(whose: string, { workflowTasks, workflowWork, activities }: QueueWaits): string[] {
  return [
    `  tasks of ${whose}, seconds`,
    `    workflow tasks in the queue   ${quantilesText(workflowTasks)}`,
    `    workflow tasks at work        ${quantilesText(workflowWork)}`,
    `    activities in the queue       ${quantilesText(activities)}`,
  ];
}

const quantilesText = ({ p50, p95, max }: Quantiles): string =>
  `p50 ${p50.toFixed(2)}, p95 ${p95.toFixed(2)}, max ${max.toFixed(2)}`;

const kindsMax = 12;

function usersOf({ requests }: Part): string[] {
  return Object.entries(requests)
    .toSorted(([, a], [, b]) => b.writes - a.writes)
    .map(([user, { writes, reads, kinds }]) => {
      const details = Object.entries(kinds)
        .slice(0, kindsMax)
        .map(([kind, count]) => `${kind} ${count}`);
      return `  ${user}: ${writes} writes, ${reads} reads (${details.join(', ')})`;
    });
}

/** The most frequent first. */
function eventTypesOf({ eventTypes, machines }: Part): string[] {
  return Object.entries(eventTypes).map(([workflow, counts]) => {
    const sorted = Object.entries(counts).toSorted(([, a], [, b]) => b - a);
    const texts = sorted.map(([name, count]) => `${name} ${(count / machines).toFixed(2)}`);
    return `  events of ${workflow}, per machine: ${texts.join(', ')}`;
  });
}

/** How evenly workers that do the same share it. */
function sharesOf({ workers }: Part): string[] {
  const shares = Object.entries(workers);
  const partOf = (what: Exclude<keyof WorkerShare, 'polls'>, count: number): string => {
    const all = shares.reduce((sum, [, share]) => sum + share[what], 0);
    return `${count} (${all === 0 ? 0 : Math.round((100 * count) / all)} %)`;
  };
  return shares.map(
    ([name, { workflowTasks, activities, localActivities, polls }]) =>
      `  ${name.padEnd(18)}${partOf('workflowTasks', workflowTasks)} workflow tasks, ${partOf('activities', activities)} activities, ${partOf('localActivities', localActivities)} local ones; ${polls} polls open at the end`,
  );
}

function processesOf({ processes }: Part): string[] {
  return Object.entries(processes).map(
    ([name, { cpuSeconds, memoryMib, peakMemoryMib }]) =>
      `  ${name.padEnd(26)}${cpuSeconds.toFixed(2)} s CPU, ${memoryMib.toFixed(0)} MiB, at most ${peakMemoryMib.toFixed(0)} MiB`,
  );
}
