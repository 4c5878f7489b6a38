/** Commands that show what there is, what waits, and why. */
import { withReference, readReference } from '../command-line/object-reference.ts';
import {
  durationSeconds,
  withAllNamespaces,
  withCluster,
  withListOutput,
  withOutput,
  withPayloadKeys,
  withRelease,
  withTemporal,
} from '../command-line/options.ts';
import { withTarget } from '../connection/target.ts';
import type { ExplainOptions } from '../explain/explain.ts';
import type { RunbookOptions } from '../runbook/runbook.ts';
import type { TimelineOptions } from '../timeline/timeline.ts';
import type { TreeOptions } from '../tree/tree.ts';
import { command, onCluster } from './command.ts';

const ofInstall = [
  withAllNamespaces,
  withRelease,
  withCluster,
  withListOutput,
  withTemporal,
  withPayloadKeys,
];

export const seeCommands = [
  command({
    name: 'status',
    summary: 'show machines, rollouts and processes in one screen, what is stuck first',
    options: ofInstall,
    about: `The time that is left of a rollout follows from the machines that it has made so far; before the first two, from the time
that other machines of the pool took to join.`,
    examples: ['status -n shoot--dev', 'status -A -o wide'],
    run: onCluster(async () => (await import('../status/status.ts')).status),
  }),
  command({
    name: 'stuck',
    summary: 'list what has waited for longer than it should, worst first',
    description: 'List what has waited for longer than it should, worst first, and why.',
    options: [
      ...ofInstall,
      (stuck) =>
        stuck.option(
          '--stopped-for <duration>',
          'for how long a stop stands until it counts (default: 1h)',
          durationSeconds,
        ),
    ],
    about: `Each finding has the name of its trouble, and "millwright runbook NAME" prints what to do. "millwright explain" says more
about one object. The exit code is 0 whether anything is stuck or not.`,
    examples: [
      'stuck -n shoot--dev',
      'stuck -n shoot--dev --stopped-for 5m',
      "stuck -A -o json | jq '.findings[].trouble'",
    ],
    run: onCluster(async () => (await import('../stuck/stuck.ts')).stuck),
  }),
  command<ExplainOptions>({
    name: 'explain',
    summary: 'say why a machine, a set, a deployment or a Node is as it is',
    options: [
      withReference,
      withRelease,
      withTarget,
      withCluster,
      withOutput,
      withTemporal,
      withPayloadKeys,
    ],
    about: `It says what was decided last, what is waited for, since when and until when, how often it was tried, the last error, and
what a person can do. What is not in the objects comes from Temporal, where its address is known. The name before a
finding is that of a page that "millwright runbook NAME" prints.`,
    examples: [
      'explain machine/pool-86b9f-rpz4r',
      'explain mcd/pool -n shoot--dev -o json',
      'explain node/ip-10-0-1-7 --target-kubeconfig shoot.yaml',
    ],
    read: (options, words) => ({ ...options, object: readReference(words) }),
    run: onCluster(async () => (await import('../explain/explain.ts')).explain),
  }),
  command<TreeOptions>({
    name: 'tree',
    summary: 'show a deployment with its sets, machines, Nodes and instances',
    description:
      'Show a deployment with its sets, machines, Nodes and instances, and what each waits for.',
    options: [withReference, withCluster, withListOutput],
    examples: ['tree mcd/pool', 'tree machine pool-86b9f-rpz4r -o wide'],
    read: (options, words) => ({
      ...options,
      object: readReference(words, ['machinedeployment', 'machineset', 'machine']),
    }),
    run: onCluster(async () => (await import('../tree/tree.ts')).tree),
  }),
  command<TimelineOptions>({
    name: 'timeline',
    summary: 'show the lifecycle of a machine as steps with their durations',
    description:
      'Show the lifecycle of a machine as steps with their durations, also when it is gone.',
    options: [
      withReference,
      (timeline) =>
        timeline.option(
          '--cluster-name <name>',
          'as the processes have it (default: as their Deployments say)',
        ),
      withRelease,
      withCluster,
      withOutput,
      withTemporal,
      withPayloadKeys,
    ],
    about: `The steps come from the history of the machine's workflow in Temporal, also after the machine is gone, for as long as
Temporal keeps closed workflows. Where Temporal is not known, they are what the object and its Events say, and the answer
says so.`,
    examples: [
      'timeline machine/pool-86b9f-rpz4r',
      'timeline machine/pool-86b9f-rpz4r --temporal-address temporal.example:7233 -o json',
    ],
    read: (options, words) => ({ ...options, object: readReference(words, ['machine']) }),
    run: onCluster(async () => (await import('../timeline/timeline.ts')).timeline),
  }),
  command({
    name: 'watch',
    summary: 'show machines and rollouts as they change',
    options: [withAllNamespaces, withRelease, withCluster],
    about: `In a terminal it shows what "millwright status" shows, anew at each change. Elsewhere, as in a pipe, it prints a line for
each change of a machine, a set or a deployment. Ctrl-C ends it.`,
    examples: ['watch -n shoot--dev', 'watch -A | tee rollout.log'],
    run: onCluster(async () => (await import('../watch/watch.ts')).watch),
  }),
  command<RunbookOptions>({
    name: 'runbook',
    summary: 'print what to do about a trouble',
    description: 'Print the page that says what to do about a trouble.',
    options: [(runbook) => runbook.argument('[name]', 'of a trouble'), withOutput],
    about:
      'The name is that of the trouble in "millwright stuck" and of the label "runbook" of an alert.',
    examples: ['runbook', 'runbook drain-budget | less'],
    read: (options, [name]) => ({ ...options, name }),
    run: async (options) => (await import('../runbook/runbook.ts')).runbook(options),
  }),
];
