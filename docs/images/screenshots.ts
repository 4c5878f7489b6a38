/**
 * `npm run screenshots`: the pictures of the Temporal UI in the documentation, taken of a running
 * local stack.
 */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import { Client, Connection } from '@temporalio/client';
import { loadKubeConfig } from '../../kube/client/kubeconfig.ts';
import { createKubeClient } from '../../kube/client/http-client.ts';
import { defaultStateDir } from '../../deploy/local/options.ts';
import { readStack } from '../../deploy/local/stack.ts';
import type { Stack } from '../../deploy/local/stack.ts';
import type { Kind } from '../../workflows/contracts/references.ts';
import { workflowIdOf } from '../../workflows/contracts/workflow-ids.ts';
import type { Demo } from './demo.ts';
import { startDemo } from './demo.ts';
import type { DrainDemo } from './drains.ts';
import { startDrains } from './drains.ts';
import type { RolloutDemo } from './rollouts.ts';
import { startRollouts } from './rollouts.ts';
import type { UpdateDemo } from './updates.ts';
import { startUpdates } from './updates.ts';

const usage = `Usage: npm run screenshots -- [options]

Makes a few machines, drains, rollouts and an update in place on the running local stack, takes pictures of their pages in the Temporal UI, writes
them to docs/images and deletes the machines. Needs Chromium: the variable CHROMIUM, or chromium or google-chrome on PATH.

  --state-dir DIR  of the stack (default: .millwright)
  --help           show this

Example: npm run screenshots -- --state-dir /tmp/second`;

const browserNames = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const size = { width: 1400, height: 900 };
/** Far above what a page takes on a busy machine. */
const contentWithinMs = 120_000;
const machineColumns = ['Workflow ID', 'State', 'Attention', 'MachineClass', 'WaitingSince'];
const drainColumns = ['Workflow ID', 'State', 'BlockedBy', 'WaitingSince', 'Deadline'];
const rolloutColumns = ['Workflow ID', 'State', 'BlockedBy', 'Attention', 'WaitingSince'];

interface Shot {
  file: string;
  url: string;
  /** The picture is taken once all of these can be seen. */
  awaited: (string | RegExp)[];
  /** They are inside the frame in which the UI shows markdown. */
  isFramed?: boolean;
  /** Of the list. */
  columns?: string[];
}

const { values } = parseArgs({
  options: {
    'state-dir': { type: 'string', default: defaultStateDir },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) console.log(usage);
else await takeAll(values['state-dir']);

async function takeAll(stateDir: string): Promise<void> {
  const stack = readStack(stateDir);
  if (!stack) throw new Error(`no local stack runs in ${stateDir}: start one with npm start`);
  const address = `127.0.0.1:${stack.ports.temporal}`;
  const connection = await Connection.connect({ address });
  const kubeConfig = loadKubeConfig(stack.kubeconfig);
  const kube = createKubeClient({ kubeConfig, userAgent: 'screenshots' });
  const { namespace } = stack;
  const cloud = stack.environment['MILLWRIGHT_VIRTUAL_CLOUD'] ?? '';
  const world = { kube, namespace, cloud };
  const album = { stack, temporal: new Client({ connection }) };
  const demo = await startDemo(world);
  try {
    await takeEach(await machineShots(album, demo));
    const drains = await startDrains(world);
    try {
      await takeEach(await drainShots(album, drains));
    } finally {
      await drains.end();
    }
    const rollouts = await startRollouts(world);
    try {
      await takeEach(await rolloutShots(album, rollouts));
    } finally {
      await rollouts.end();
    }
    const updates = await startUpdates(world);
    try {
      await takeEach(await updateShots(album, updates));
    } finally {
      await updates.end();
    }
  } finally {
    await demo.end();
    await kube.close();
    await connection.close();
  }
}

interface Album {
  stack: Stack;
  temporal: Client;
}

async function machineShots(album: Album, demo: Demo): Promise<Shot[]> {
  const query = 'WorkflowType = "machine" AND ExecutionStatus = "Running" AND State != "Running"';
  return [
    {
      file: 'machine-running.png',
      url: await pageUrl(album, { kind: 'machine', name: demo.running, tab: 'timeline' }),
      awaited: ['recordJoined', /createInstance/],
    },
    {
      file: 'workflows.png',
      url: listUrl(album, query),
      awaited: ['CrashLoopBackOff', 'Pending', 'person'],
    },
    {
      file: 'machine-waiting.png',
      url: await pageUrl(album, { kind: 'machine', name: demo.refused, tab: 'user-metadata' }),
      awaited: [/CrashLoopBackOff/, 'Next attempt', 'What you can do:'],
      isFramed: true,
    },
  ];
}

async function drainShots(album: Album, { guarded }: DrainDemo): Promise<Shot[]> {
  const query = 'ExecutionStatus = "Running" AND State = "DrainBlocked"';
  const page = { kind: 'machine', name: guarded } as const;
  return [
    {
      file: 'drains.png',
      url: listUrl(album, query),
      awaited: ['DrainBlocked', /PodDisruptionBudget/, /exporter/],
      columns: drainColumns,
    },
    {
      file: 'drain-blocked.png',
      url: await pageUrl(album, { ...page, tab: 'user-metadata' }),
      awaited: [/misconfigured/, 'What you can do:'],
      isFramed: true,
    },
    {
      file: 'drain-attempt.png',
      url: await pageUrl(album, { ...page, tab: 'pending-activities' }),
      awaited: ['drainNode', /pods left/],
    },
  ];
}

async function rolloutShots(album: Album, { stuck }: RolloutDemo): Promise<Shot[]> {
  const query =
    'WorkflowType = "machineDeployment" AND ExecutionStatus = "Running" AND State != "Complete"';
  return [
    {
      file: 'rollouts.png',
      url: listUrl(album, query),
      awaited: ['Blocked', 'canary', 'Progressing'],
      columns: rolloutColumns,
    },
    {
      file: 'rollout-blocked.png',
      url: await pageUrl(album, { kind: 'machineDeployment', name: stuck, tab: 'user-metadata' }),
      awaited: [/Blocked/, 'What you can do:'],
      isFramed: true,
    },
  ];
}

async function updateShots(album: Album, { waiting }: UpdateDemo): Promise<Shot[]> {
  return [
    {
      file: 'update-in-place.png',
      url: await pageUrl(album, { kind: 'machine', name: waiting, tab: 'user-metadata' }),
      awaited: [/InPlaceUpdating/, /by the agent on it/],
      isFramed: true,
    },
  ];
}

function home({ stack }: Album): string {
  return `http://127.0.0.1:${stack.ports.temporalUi}/namespaces/default/workflows`;
}

function listUrl(album: Album, query: string): string {
  return `${home(album)}?query=${encodeURIComponent(query)}`;
}

interface WorkflowPage {
  kind: Kind;
  name: string;
  tab: string;
}

async function pageUrl(album: Album, { kind, name, tab }: WorkflowPage): Promise<string> {
  const id = workflowIdOf(kind, { namespace: album.stack.namespace, name });
  return `${home(album)}/${encodeURIComponent(id)}/${await runOf(album.temporal, id)}/${tab}`;
}

/** The UI has no page for "the present run". */
async function runOf(temporal: Client, workflowId: string): Promise<string> {
  return (await temporal.workflow.getHandle(workflowId).describe()).runId;
}

async function take(page: Page, { file, url, awaited, isFramed }: Shot): Promise<void> {
  await page.goto(url, { waitUntil: 'domcontentloaded' });
  const place = isFramed ? page.frameLocator('iframe').last() : page;
  for (const text of awaited) {
    const found = place.getByText(text).filter({ visible: true });
    await found.first().waitFor({ timeout: contentWithinMs });
  }
  await page.screenshot({ path: join(import.meta.dirname, file), animations: 'disabled' });
  console.log(`docs/images/${file}`);
}

async function takeEach(shots: Shot[]): Promise<void> {
  // A container has neither a sandbox for it nor much shared memory.
  const args = ['--no-sandbox', '--disable-dev-shm-usage'];
  const browser = await chromium.launch({ executablePath: browserPath(), args });
  try {
    for (const shot of shots) await take(await pageOf(browser, shot.columns), shot);
  } finally {
    await browser.close();
  }
}

async function pageOf(browser: Browser, columns = machineColumns): Promise<Page> {
  const context = await browser.newContext({ viewport: size, timezoneId: 'UTC', locale: 'en-GB' });
  // Where the UI keeps what a person chose under "Configure Columns".
  const chosen = JSON.stringify({ default: columns.map((label) => ({ label })) });
  const entry = `'namespace-workflow-table-columns', ${JSON.stringify(chosen)}`;
  await context.addInitScript({ content: `localStorage.setItem(${entry})` });
  return await context.newPage();
}

function browserPath(): string {
  const { CHROMIUM: chosen, PATH: path = '' } = process.env;
  if (chosen !== undefined) return chosen;
  const candidates = path
    .split(delimiter)
    .flatMap((folder) => browserNames.map((name) => join(folder, name)));
  const found = candidates.find(isProgram);
  if (found !== undefined) return found;
  throw new Error(
    `none of ${browserNames.join(', ')} is on PATH: install Chromium, or name its program in CHROMIUM`,
  );
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
