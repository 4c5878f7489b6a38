/**
 * The entrance of every npm script: `node deploy/local/bootstrap.mjs <script.ts> [arguments]`.
 *
 * Plain JavaScript without dependencies, because it runs on the machine's own Node and before
 * anything is installed. It installs the npm dependencies when they are missing, older than the lock
 * file or half installed, and then runs the script on the Node 24 that is one of them.
 */
import { spawn, spawnSync } from 'node:child_process';
import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { identityOf, watchNpm } from './parent-watch.mjs';

const root = resolve(fileURLToPath(import.meta.url), '../../..');
const modules = join(root, 'node_modules');
const nodeBinary = join(modules, '.bin', 'node');
const parentWatch = pathToFileURL(join(root, 'deploy/local/parent-watch.mjs')).href;
/** Has the identities of those that install. Left by dead processes: the installation was cut off. */
const marker = join(root, '.millwright', 'installing');
/** It becomes the marker in one step, with its content. */
const draft = `${marker}-${process.pid}`;

function modifiedAt(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs;
}

/** @returns {string | undefined} the identity of the npm that installs or was killed while it did. */
function installer() {
  try {
    return readFileSync(marker, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * @param {string | undefined} left the marker of a dead process
 * @returns {string | undefined} why the dependencies have to be installed, if they have to.
 */
function reasonToInstall(left) {
  const installed = modifiedAt(join(modules, '.package-lock.json'));
  if (left !== undefined) return 'the last installation was cut off';
  if (installed === undefined) return 'they are not installed yet';
  if (installed < modifiedAt(join(root, 'package-lock.json'))) return 'the lock file is newer';
  // The package `node` fetches its binary in an install script, which can fail on its own.
  if (spawnSync(nodeBinary, ['--version']).status !== 0) return 'Node 24 is missing among them';
  return undefined;
}

async function install(reason) {
  console.log(`Installing npm dependencies (${reason}) ...`);
  const npm = spawn('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
    // npm runs on Node as well: when this process is killed, it ends too.
    env: {
      ...process.env,
      NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=${parentWatch}`.trim(),
      MILLWRIGHT_WATCH_PARENT: String(process.pid),
    },
  });
  // Both: npm outlives a killed start by a moment, and this start removes the marker after npm.
  writeFileSync(draft, [identityOf(npm.pid), identityOf(process.pid)].join('\n'));
  renameSync(draft, marker);
  const fault = await new Promise((settle) => {
    npm.on('error', (error) => settle(error.message));
    npm.on('exit', (code, signal) =>
      settle(code === 0 ? undefined : (signal ?? `exit code ${code}`)),
    );
  });
  if (fault !== undefined) {
    console.error(`npm ci failed (${fault}). Repair its cause and start again.`);
    process.exit(1);
  }
}

/**
 * When two processes see the same thing missing, one of them installs it.
 * @param {string | undefined} left the marker of a dead process, which is in the way
 */
function claimInstallation(left) {
  mkdirSync(dirname(marker), { recursive: true });
  try {
    if (left !== undefined) {
      renameSync(marker, draft);
      if (readFileSync(draft, 'utf8') !== left) {
        // Another one was quicker, and what was moved away is its marker.
        linkSync(draft, marker);
        return false;
      }
    }
    writeFileSync(draft, String(identityOf(process.pid)));
    // Unlike a rename it fails where another one has a marker by now.
    linkSync(draft, marker);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST' || error.code === 'ENOENT') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

/**
 * Two scripts that are started at once in a fresh clone must not install into each other.
 * @returns {Promise<string | undefined>} the marker of a dead process
 */
async function waitForOtherInstaller() {
  let isSaid = false;
  for (;;) {
    // After a reboot, and soon in a container, another process has the pid of one that was killed.
    const found = installer();
    const identities = (found ?? '').split('\n');
    const atWork = identities.find((one) => identityOf(Number.parseInt(one)) === one);
    if (atWork === undefined) return found;
    const pid = Number.parseInt(atWork);
    if (!isSaid) console.log(`Waiting for process ${pid}, which installs the npm dependencies ...`);
    isSaid = true;
    await new Promise((done) => setTimeout(done, 200));
  }
}

function run(script, scriptArguments) {
  const child = spawn(nodeBinary, [`--import=${parentWatch}`, script, ...scriptArguments], {
    stdio: 'inherit',
    env: { ...process.env, MILLWRIGHT_WATCH_PARENT: String(process.pid) },
  });
  // Ctrl-C reaches the child by itself: the terminal signals the whole foreground group. Handling it
  // here only keeps this process alive until the child has ended.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGQUIT'])
    process.on(signal, () => child.kill(signal));
  child.on('error', (error) => {
    console.error(`Cannot run ${nodeBinary}: ${error.message}`);
    process.exit(1);
  });
  child.on('exit', (code, signal) => {
    process.exit(code ?? 128 + constants.signals[signal]);
  });
}

const [script, ...scriptArguments] = process.argv.slice(2);
if (script === undefined) {
  console.error('Usage: node deploy/local/bootstrap.mjs <script.ts> [arguments]');
  process.exit(2);
}
const oldest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).engines.node.slice(2);
if (process.versions.node.localeCompare(oldest, 'en', { numeric: true }) < 0) {
  console.error(`Node ${process.versions.node} is too old: version ${oldest} or newer is needed.`);
  process.exit(1);
}
for (;;) {
  const left = await waitForOtherInstaller();
  if (reasonToInstall(left) === undefined) break;
  if (!claimInstallation(left)) continue;
  // Another one may have installed them since.
  const reason = reasonToInstall(left);
  if (reason !== undefined) await install(reason);
  rmSync(marker, { force: true });
}
if (process.env.npm_lifecycle_event !== undefined) watchNpm();
run(join(root, script), scriptArguments);
