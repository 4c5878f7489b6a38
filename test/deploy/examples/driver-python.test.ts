/** Parts of deploy/examples/driver-python that authors copy. It runs as a whole in test/e2e. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runProgram } from '../../../deploy/local/binaries/program.ts';
import { repository } from '../../../deploy/local/layout.ts';
import { pythonWithRequirements } from '../../e2e/support/python-driver.ts';

const kubeconfig = {
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'c',
  clusters: [{ name: 'c', cluster: { server: 'https://127.0.0.1:1' } }],
  users: [{ name: 'u', user: { token: 't' } }],
  contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
};

/** What the script prints, in the folder of the driver. */
async function printedBy(script: string): Promise<string> {
  const file = join(mkdtempSync(join(tmpdir(), 'millwright-python-')), 'kubeconfig');
  writeFileSync(file, JSON.stringify(kubeconfig));
  return await runProgram(await pythonWithRequirements(), ['-c', script], {
    cwd: join(repository, 'deploy/examples/driver-python'),
    env: { KUBECONFIG: file, PYTHONDONTWRITEBYTECODE: '1' },
    limitMs: 60_000,
    errorsApart: true,
  });
}

test('user data that is no text comes through as it is', async () => {
  const script = `
import base64
from types import SimpleNamespace
import driver
packed = bytes([31, 139, 255, 0])
secret = SimpleNamespace(data={"userData": base64.b64encode(packed).decode()})
driver.cluster._core = SimpleNamespace(read_namespaced_secret=lambda name, namespace: secret)
text = driver.cluster._read_secret("machines", "small")["userData"]
print(driver.cluster.user_data(text, "m", None).encode(errors=driver.BYTES) == packed)
`;
  expect(await printedBy(script)).toBe('True\n');
});

test('calls that a silent cloud keeps hold up no other', async () => {
  const script = `
import asyncio, threading
import driver
over = threading.Event()
async def main():
    driver.make_room(3)
    silent = [asyncio.create_task(asyncio.to_thread(over.wait, 20)) for _ in range(59)]
    await asyncio.sleep(0)
    print(await asyncio.wait_for(asyncio.to_thread(lambda: "answered"), 5))
    over.set()
    await asyncio.gather(*silent)
asyncio.run(main())
`;
  expect(await printedBy(script)).toBe('answered\n');
});
