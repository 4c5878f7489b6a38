/** OpenStack's own services on free ports, on a copy of the prepared state. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openStackScripts, preparedPython } from '../../deploy/local/prepare/python.ts';

export type OpenStackService = 'keystone' | 'placement' | 'glance' | 'neutron' | 'nova' | 'cinder';

/** What is there for classes: in a project of a user who is no administrator. */
export interface KnownResources {
  projectID: string;
  /** `linux`. */
  imageID: string;
  /** `workers`, of this project, with a subnet of each family. */
  networkID: string;
  subnetIDs: string[];
  /** `second`, of this project. */
  secondNetworkID: string;
  /** Of another project, for all. */
  sharedNetworkID: string;
  serverGroupID: string;
  applicationCredentialID: string;
}

export interface OpenStack extends AsyncDisposable {
  urls: Record<OpenStackService, string>;
  known: KnownResources;
}

/**
 * With `MILLWRIGHT_TEST_OPENSTACK`, what launch.py printed, the services that run already: for a
 * person who changes the driver, and does not want to wait for them each time.
 */
export async function startOpenStack(): Promise<OpenStack> {
  const running = process.env['MILLWRIGHT_TEST_OPENSTACK'];
  if (running) return { ...JSON.parse(running), [Symbol.asyncDispose]: async () => {} };
  const python = await preparedPython('openstack');
  const state = join(dirname(dirname(python)), 'state');
  const folder = await mkdtemp(join(tmpdir(), 'millwright-openstack-'));
  // It ends, with all services, when its standard input does, as with a run that is broken off.
  const child = spawn(python, [join(openStackScripts, 'launch.py'), state, folder], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const { urls, known } = await answerOf(child);
  return {
    urls,
    known,
    async [Symbol.asyncDispose]() {
      const exit = once(child, 'exit');
      child.stdin.end();
      await exit;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function answerOf(child: ChildProcess): Promise<Pick<OpenStack, 'urls' | 'known'>> {
  let said = '';
  let complaints = '';
  return await new Promise((resolve, reject) => {
    child.stderr?.on('data', (part: Buffer) => {
      complaints = (complaints + part.toString()).slice(-4_000);
    });
    child.stdout?.on('data', (part: Buffer) => {
      said += part.toString();
      if (said.endsWith('\n')) resolve(JSON.parse(said));
    });
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`OpenStack did not start: ${complaints}`)));
  });
}
