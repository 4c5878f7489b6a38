/** Rollouts that are told in `golden/`, each by the name of its file. */
import type { Happening } from '../../../../support/simulate.ts';
import { deleteMachines, deleteSet } from '../../../../support/simulated-acts.ts';
import type {
  Cluster,
  ClusterChanges,
  SimulatedSet,
} from '../../../../support/simulated-cluster.ts';
import { aCluster, millisecondsPerRound } from '../../../../support/simulated-cluster.ts';

export interface Story {
  name: string;
  cluster: Cluster;
  /** By the round before which they happen. */
  happenings?: Record<number, Happening>;
}

function rolling(
  maxSurge: number | string,
  maxUnavailable: number | string,
  changes: ClusterChanges = {},
): Cluster {
  const deployment = { maxSurge, maxUnavailable, replicas: 6, ...changes.deployment };
  return aCluster({ ...changes, deployment });
}

function scaleTo(replicas: number): Happening {
  const happen = ({ deployment }: Cluster) => void (deployment.replicas = replicas);
  return { text: `somebody scales to ${replicas}`, happen };
}

function change(name: string): Happening {
  return {
    text: `somebody changes the template to that of ${name}`,
    happen: ({ deployment }) => {
      deployment.template = name;
    },
  };
}

function pause(isPaused: boolean): Happening {
  const happen = ({ deployment }: Cluster) => void (deployment.isPaused = isPaused);
  return { text: isPaused ? 'somebody pauses' : 'somebody resumes', happen };
}

function rollBackTo(revision: number): Happening {
  return {
    text: `somebody asks for a rollback to revision ${revision}`,
    happen: ({ deployment }) => void (deployment.rollbackTo = revision),
  };
}

function remove(name: string, count: number): Happening {
  return {
    text: `somebody deletes ${count} machines of ${name}`,
    happen: ({ sets }) =>
      sets.filter((set) => set.name === name).forEach((set) => deleteMachines(set, count)),
  };
}

function removeSet(name: string): Happening {
  return {
    text: `somebody deletes set ${name}`,
    happen: ({ sets }) => sets.filter((set) => set.name === name).forEach(deleteSet),
  };
}

/** As the workflow does when a person resumes. */
const passCanary: Happening = {
  text: 'somebody resumes: the canary is passed',
  happen: ({ deployment, sets }) => {
    const revision = sets.find(({ name }) => name === deployment.template)?.revision ?? 0;
    deployment.options = { ...deployment.options, canaryPassed: revision };
  },
};

const onDeleteNoMore: Happening = {
  text: 'somebody takes millwright.dev/on-delete away, and pauses',
  happen: ({ deployment }) =>
    Object.assign(deployment, { strategy: 'RollingUpdate', isPaused: true }),
};

const tryAgain: Happening = {
  text: 'somebody mends what kept machines from joining, and takes millwright.dev/rolled-back-from away',
  happen: ({ broken, deployment }) => {
    const { rolledBackFrom: _, ...rest } = deployment.options;
    deployment.options = rest;
    broken.clear();
  },
};

const idle = (name: string, revision: number): Partial<SimulatedSet> => ({
  name,
  revision,
  replicas: 0,
  isFormer: true,
});

const options = { autoRollback: false, faults: [] };
const deadline = { deadlineSeconds: (6 * millisecondsPerRound) / 1000 };

export const stories: Story[] = [
  { name: 'surge-1-unavailable-0', cluster: rolling(1, 0) },
  { name: 'surge-0-unavailable-1', cluster: rolling(0, 1) },
  {
    name: 'surge-25-unavailable-25-percent',
    cluster: rolling('25%', '25%', { hasNodes: true, deployment: { replicas: 10 } }),
  },
  { name: 'surge-100-percent', cluster: rolling('100%', 0) },
  { name: 'surge-0-unavailable-0', cluster: rolling(0, 0, { deployment: { replicas: 3 } }) },
  {
    name: 'first-set',
    cluster: rolling(1, 0, { sets: [], hasNodes: true }),
  },
  {
    name: 'scale-without-rollout',
    cluster: rolling(1, 0, { deployment: { template: 'v1' }, pace: { going: 6 } }),
    happenings: { 2: scaleTo(2), 4: scaleTo(8) },
  },
  {
    name: 'scale-up-in-the-middle',
    cluster: rolling(2, 0),
    happenings: { 9: scaleTo(10) },
  },
  {
    name: 'scale-down-in-the-middle',
    cluster: rolling(2, 0, { deployment: { replicas: 10 } }),
    happenings: { 14: scaleTo(5) },
  },
  { name: 'scale-to-0-in-the-middle', cluster: rolling(2, 1), happenings: { 7: scaleTo(0) } },
  {
    name: 'second-template-in-the-middle',
    cluster: rolling(2, 1),
    happenings: { 7: change('v3') },
  },
  {
    name: 'new-machines-fail',
    cluster: rolling(2, 1, { broken: ['v2'], deployment: deadline }),
    happenings: { 16: change('v3') },
  },
  {
    name: 'pause-and-resume',
    cluster: rolling(2, 0),
    happenings: { 6: pause(true), 9: scaleTo(8), 15: scaleTo(4), 19: pause(false) },
  },
  {
    name: 'roll-back-by-revision',
    cluster: rolling(3, 0, {
      deployment: { template: 'v3' },
      sets: [idle('v1', 1), idle('v2', 2), { name: 'v3', revision: 3 }],
      hasNodes: true,
    }),
    happenings: { 2: rollBackTo(1), 20: rollBackTo(17) },
  },
  {
    name: 'roll-back-to-previous',
    cluster: rolling(6, 0, {
      deployment: { template: 'v3' },
      sets: [idle('v1', 1), idle('v2', 2), { name: 'v3', revision: 3 }],
    }),
    happenings: { 2: rollBackTo(0) },
  },
  {
    name: 'roll-back-in-the-middle',
    cluster: rolling(2, 1),
    happenings: { 6: rollBackTo(0) },
  },
  {
    name: 'scale-during-rollback',
    cluster: rolling(2, 1),
    happenings: { 8: rollBackTo(1), 10: scaleTo(9), 14: scaleTo(3) },
  },
  {
    name: 'recreate',
    cluster: rolling(1, 0, { hasNodes: true, deployment: { strategy: 'Recreate' } }),
  },
  {
    name: 'recreate-scaled-in-the-middle',
    cluster: rolling(1, 0, { deployment: { strategy: 'Recreate' }, pace: { going: 4 } }),
    happenings: { 3: scaleTo(8), 9: scaleTo(3) },
  },
  {
    name: 'on-delete',
    cluster: rolling(1, 0, { deployment: { strategy: 'OnDelete', replicas: 4 } }),
    happenings: { 3: remove('v1', 1), 9: scaleTo(6), 15: scaleTo(4), 22: remove('v1', 3) },
  },
  {
    name: 'two-old-sets',
    cluster: rolling(2, 1, {
      deployment: { template: 'v3', replicas: 8 },
      sets: [
        { name: 'v1', replicas: 4 },
        { name: 'v2', replicas: 4 },
      ],
    }),
  },
  {
    name: 'canary',
    cluster: rolling(2, 0, { deployment: { options: { ...options, canary: 2 } } }),
    happenings: { 12: scaleTo(8), 18: passCanary },
  },
  {
    name: 'canary-rolled-back',
    cluster: rolling(2, 0, { deployment: { options: { ...options, canary: 2 } } }),
    happenings: { 12: rollBackTo(0) },
  },
  {
    name: 'canary-scaled-while-it-boots',
    cluster: rolling(1, 0, {
      deployment: { options: { ...options, canary: 1 } },
      pace: { boot: 4 },
    }),
    happenings: { 3: scaleTo(9), 20: scaleTo(0), 21: scaleTo(4) },
  },
  {
    name: 'canary-that-never-joins',
    cluster: rolling(1, 0, {
      deployment: { options: { ...options, canary: 1 } },
      broken: ['v2'],
      pace: { creation: 8 },
    }),
    happenings: { 3: scaleTo(9) },
  },
  {
    name: 'pause-scaled-while-machines-drain',
    cluster: rolling(1, 0, { pace: { going: 4 } }),
    happenings: { 8: pause(true), 9: scaleTo(3), 11: scaleTo(6), 24: pause(false) },
  },
  {
    name: 'pause-scaled-down-while-machines-boot',
    cluster: rolling(4, 0, { pace: { boot: 6 } }),
    happenings: { 3: pause(true), 4: scaleTo(4), 20: scaleTo(2) },
  },
  {
    name: 'paused-at-0',
    cluster: rolling(1, 0, { deployment: { replicas: 0, isPaused: true } }),
    happenings: { 3: scaleTo(2), 8: pause(false) },
  },
  {
    name: 'old-set-deleted',
    cluster: rolling(1, 0, { pace: { going: 3 } }),
    happenings: { 8: removeSet('v1') },
  },
  {
    name: 'new-set-deleted',
    cluster: rolling(1, 0, { deployment: { replicas: 3 }, pace: { going: 3 } }),
    happenings: { 8: removeSet('v2'), 34: removeSet('v2.2') },
  },
  {
    name: 'on-delete-paused',
    cluster: rolling(1, 0, {
      deployment: { strategy: 'OnDelete', replicas: 4, isPaused: true },
    }),
    happenings: {
      2: scaleTo(5),
      5: remove('v1', 1),
      9: pause(false),
      14: pause(true),
      17: scaleTo(6),
    },
  },
  {
    name: 'on-delete-no-more',
    cluster: rolling(1, 0, { deployment: { strategy: 'OnDelete', replicas: 4 } }),
    happenings: { 4: remove('v1', 1), 9: onDeleteNoMore },
  },
  { name: 'soak', cluster: rolling(2, 0, { pace: { soak: 3 }, deployment: { replicas: 4 } }) },
  {
    name: 'rollout-after',
    cluster: rolling(6, 0, {
      deployment: {
        options: { ...options, rolloutAfter: { at: 6 * millisecondsPerRound, text: '22:00' } },
      },
    }),
    happenings: { 3: scaleTo(7) },
  },
  {
    name: 'automatic-rollback',
    cluster: rolling(2, 1, {
      broken: ['v2'],
      deployment: { ...deadline, options: { ...options, autoRollback: true } },
    }),
    happenings: { 24: scaleTo(7), 34: change('v3') },
  },
  {
    name: 'given-up-template-tried-again',
    cluster: rolling(2, 1, {
      broken: ['v2'],
      deployment: { ...deadline, options: { ...options, autoRollback: true } },
    }),
    happenings: { 24: tryAgain },
  },
  {
    name: 'history-limit',
    cluster: rolling(6, 0, {
      deployment: { template: 'v4', historyLimit: 1 },
      sets: [idle('v1', 1), idle('v2', 2), { name: 'v3', revision: 3 }],
    }),
  },
  {
    name: 'in-place-refused',
    cluster: rolling(1, 0, { deployment: { strategy: 'InPlaceUpdate' } }),
    happenings: { 3: scaleTo(8), 5: change('v1') },
  },
];
