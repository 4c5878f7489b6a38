import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { host } from '../supervision/ports.ts';
import { answersOk, fewerCollections, type Component } from './component.ts';
import type { StackWorld } from './world.ts';

/** The search attributes of `workflows/contracts/messages.ts`; a test compares the two. */
export const searchAttributes = {
  State: 'Keyword',
  KubeCluster: 'Keyword',
  KubeNamespace: 'Keyword',
  MachineDeployment: 'Keyword',
  MachineSet: 'Keyword',
  MachineClass: 'Keyword',
  BlockedBy: 'Keyword',
  NodeName: 'Text',
  Attention: 'Keyword',
  WaitingSince: 'Datetime',
  Deadline: 'Datetime',
} as const;

/**
 * One partition, because with few pollers tasks would wait on the others, and rate limits that a
 * stack of one machine never reaches. Fairness between pools is off by default in the server.
 */
const dynamicConfig: Readonly<Record<string, unknown>> = {
  'matching.enableFairness': true,
  'matching.numTaskqueueReadPartitions': 1,
  'matching.numTaskqueueWritePartitions': 1,
  'matching.rps': 20_000,
  'frontend.rps': 20_000,
  'frontend.namespaceRPS': 20_000,
  'frontend.namespaceCount': 5_000,
  'history.rps': 50_000,
};

export function temporal({ binary, layout, ports }: StackWorld): Component {
  return {
    name: 'temporal',
    needs: [],
    address: `${host}:${ports.temporal}`,
    ports: [ports.temporal, ports.temporalUi, ports.temporalHttp, ports.temporalMetrics],
    command: async () => {
      await mkdir(dirname(layout.temporalDatabase), { recursive: true });
      return {
        file: binary('temporal'),
        env: fewerCollections,
        args: [
          'server',
          'start-dev',
          `--ip=${host}`,
          `--port=${ports.temporal}`,
          `--ui-port=${ports.temporalUi}`,
          `--http-port=${ports.temporalHttp}`,
          `--metrics-port=${ports.temporalMetrics}`,
          '--ui-disable-news-fetch',
          `--db-filename=${layout.temporalDatabase}`,
          // Survives kill -9, and costs next to nothing; only a crash of the machine can lose
          // writes.
          '--sqlite-pragma=journal_mode=WAL',
          '--sqlite-pragma=synchronous=OFF',
          ...Object.entries(searchAttributes).map(([n, type]) => `--search-attribute=${n}=${type}`),
          ...Object.entries(dynamicConfig).map(
            ([key, value]) => `--dynamic-config-value=${key}=${JSON.stringify(value)}`,
          ),
          '--log-level=warn',
        ],
      };
    },
    isReady: () => answersOk(`http://${host}:${ports.temporalHttp}/api/v1/namespaces/default`),
  };
}
