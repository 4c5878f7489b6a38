import { setTimeout as delay } from 'node:timers/promises';
import { existsSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { applyCluster } from '../cluster/apply.ts';
import { temporalOf } from '../options.ts';
import { clusterAutoscaler } from './cluster-autoscaler.ts';
import type { Component, Job } from './component.ts';
import { answersOk } from './component.ts';
import { etcd } from './etcd.ts';
import { kubeApiserver } from './kube-apiserver.ts';
import { kubeControllerManager, kubeScheduler } from './kube-controllers.ts';
import { ourPrograms, temporalAddressOf } from './operator.ts';
import { postgresql, databasePassword, databaseUser } from './postgresql.ts';
import { temporal, searchAttributes } from './temporal.ts';
import { temporalServer, temporalUi } from './temporal-server.ts';
import { prometheus } from './prometheus.ts';
import { updateAgent } from './update-agent.ts';
import type { StackWorld } from './world.ts';
import { runProgram } from '../binaries/program.ts';
import { host } from '../supervision/ports.ts';
import { writeFileAtomically } from '../atomic-file.ts';
import { databases } from './temporal-config.ts';
import { repository } from '../layout.ts';

export function componentsOf(world: StackWorld): Component[] {
  const components = [
    etcd(world),
    kubeApiserver(world),
    kubeControllerManager(world),
    kubeScheduler(world),
    ...temporalComponents(world),
    ...ourPrograms(world),
    ...(world.options.autoscaler ? [clusterAutoscaler(world)] : []),
    ...(world.options.updateAgent ? [updateAgent(world)] : []),
  ].filter((component) => isWanted(component, world));
  return world.options.monitoring ? [...components, prometheus(world, components)] : components;
}

export function jobsOf(world: StackWorld): Job[] {
  const jobs = [
    applyCluster(world),
    ...(temporalOf(world) === 'postgresql'
      ? [temporalSchema(world), temporalNamespace(world)]
      : []),
    registerSearchAttributes(world),
    workflowBundle(world),
  ];
  return jobs.filter((job) => job !== undefined).filter((job) => isWanted(job, world));
}

function temporalComponents(world: StackWorld): Component[] {
  switch (temporalOf(world)) {
    case 'development':
      return [temporal(world)];
    case 'postgresql':
      return [postgresql(world), temporalServer(world), temporalUi(world)];
    case 'elsewhere':
      return [];
  }
}

function isWanted({ name }: { name: string }, { options: { only } }: StackWorld): boolean {
  return only?.includes(name) ?? true;
}

const needsOf = {
  development: ['temporal'],
  postgresql: ['temporal-namespace'],
  elsewhere: [],
} as const;

/**
 * The server's own flag only counts for a new database: a kept one may lack what was added since.
 */
function registerSearchAttributes({ binary, ...world }: StackWorld): Job {
  return {
    name: 'search-attributes',
    needs: needsOf[temporalOf(world)],
    run: async () => {
      const file = binary('temporal');
      const command = ['operator', 'search-attribute', `--address=${temporalAddressOf(world)}`];
      const listed = new Set((await runProgram(file, [...command, 'list'])).split(/\s+/));
      const missing = Object.entries(searchAttributes).filter(([name]) => !listed.has(name));
      if (missing.length === 0) return '';
      // The command wants as many types as names.
      const added = missing.flatMap(([name, type]) => [`--name=${name}`, `--type=${type}`]);
      await runProgram(file, [...command, 'create', ...added]);
      return `added ${missing.map(([name]) => name).join(', ')}`;
    },
  };
}

/** As long as the development server keeps closed workflows. */
const retention = '24h';
/** The services of the server read all namespaces every 2 s. */
const knownWithinMs = 60_000;

/** The namespace that the development server has from its beginning. */
function temporalNamespace({ binary, ports }: StackWorld): Job {
  const address = `--address=${host}:${ports.temporal}`;
  const operator = (...args: string[]): Promise<string> =>
    runProgram(binary('temporal'), ['operator', ...args, '--namespace=default', address]);
  return {
    name: 'temporal-namespace',
    needs: ['temporal'],
    run: async () => {
      const url = `http://${host}:${ports.temporalHttp}/api/v1/namespaces/default`;
      const isThere = await answersOk(url);
      if (!isThere) await operator('namespace', 'create', `--retention=${retention}`);
      await untilKnown(() => operator('search-attribute', 'list'));
      return isThere ? '' : 'made default';
    },
  };
}

/** `ask` rejects until the server has read the namespace. Rejects with its last answer. */
async function untilKnown(ask: () => Promise<unknown>): Promise<void> {
  const deadline = Date.now() + knownWithinMs;
  for (;;) {
    try {
      await ask();
      return;
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
    await delay(200);
  }
}

/** Makes both databases of the Temporal server, or brings them to the version of the server. */
function temporalSchema({ binary, layout, ports }: StackWorld): Job {
  return {
    name: 'temporal-schema',
    needs: ['postgresql'],
    run: async () => {
      const isNew = !existsSync(layout.temporalSchema);
      for (const [schema, database] of Object.entries(databases)) {
        const tool = async (...args: string[]): Promise<void> => {
          await runProgram(binary('temporal-sql-tool'), [`--database=${database}`, ...args], {
            log: layout.logOf('temporal-schema'),
            env: {
              SQL_PLUGIN: 'postgres12',
              SQL_HOST: host,
              SQL_PORT: String(ports.postgresql),
              SQL_USER: databaseUser,
              SQL_PASSWORD: databasePassword(layout),
            },
          });
        };
        if (isNew) {
          // Deletes first what a killed start left half-made: the tool cannot drop the same table
          // twice. No server has used it, as servers wait for this job.
          await tool('drop-database', '--force');
          await tool('create-database');
          await tool('setup-schema', '--version=0.0');
        }
        await tool('update-schema', `--schema-name=postgresql/v12/${schema}`);
      }
      writeFileAtomically(layout.temporalSchema, 'complete\n');
      return isNew ? `made ${Object.values(databases).join(', ')}` : '';
    },
  };
}

const entrance = join(repository, 'workers/temporal/bundle-workflows.ts');

/**
 * Bundles the workflows once, so that each restart of the worker saves the seconds that it takes.
 */
function workflowBundle({ layout, options }: StackWorld): Job | undefined {
  if (!options.operator) return undefined;
  return {
    name: 'workflow-bundle',
    needs: [],
    run: async () => {
      const partial = `${layout.workflowBundle}.partial`;
      await runProgram(process.execPath, [entrance, partial]);
      await rename(partial, layout.workflowBundle);
      return '';
    },
  };
}
