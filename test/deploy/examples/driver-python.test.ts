/** Parts of deploy/examples/driver-python that authors copy. It runs as a whole in test/e2e. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../../deploy/local/binaries/program.ts';
import { repository } from '../../../deploy/local/layout.ts';
import { preparedPython } from '../../../deploy/local/prepare/python.ts';

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
  return await runProgram(await preparedPython('driver-python'), ['-c', script], {
    cwd: join(repository, 'deploy/examples/driver-python'),
    env: { KUBECONFIG: file, PYTHONDONTWRITEBYTECODE: '1' },
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

/** Of Machine `web-0`, which names an instance of the account by its providerID. */
const namingAnother = `
import driver
from virtual_cloud import Failure
machine = {"namespace": "shoot", "name": "web-0", "uid": "uid-1"}
request = {"machine": machine, "cluster": "c", "token": "uid-1-0", "providerID": "local:///a/i-9"}
tags = {"millwright.dev/cluster": "c", "millwright.dev/namespace": "shoot", "millwright.dev/provider": driver.PROVIDER}
def given_up(**more):
    found = {"id": "i-9", "providerID": "local:///a/i-9", "token": "t", "name": "web-0", "tags": tags, **more}
    driver.cloud.list = lambda tags, **query: []
    driver.cloud.describe = lambda id: found
    driver.cluster.is_claimed = lambda provider_id, machine: False
    try:
        return [one["id"] for one in driver.candidates(request)]
    except Failure as failure:
        return failure.code
`;

test('an instance that its providerID alone names is deleted with tags for this Machine only', async () => {
  const script = `${namingAnother}
print(given_up(), given_up(tags={**tags, "millwright.dev/cluster": "before"}))
print(given_up(tags={}), given_up(name="db-0"), given_up(tags={**tags, "millwright.dev/namespace": "other"}))
`;
  expect(await printedBy(script)).toBe(
    "['i-9'] ['i-9']\nFailedPrecondition FailedPrecondition FailedPrecondition\n",
  );
});

test('a bootstrap token that is gone, or ends before a Node could join, settles no create', async () => {
  const script = `
import base64
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
import driver
from cluster import client
from virtual_cloud import Failure
def text(value): return base64.b64encode(value.encode()).decode()
def filled_with(made, ends):
    now = datetime.now(UTC)
    data = {"token-secret": text("s"), "expiration": text((now + timedelta(minutes=ends)).isoformat())}
    secret = SimpleNamespace(data=data, metadata=SimpleNamespace(creation_timestamp=now - timedelta(minutes=made)))
    def read(name, namespace):
        if made is None or ends is None: raise client.ApiException(status=404)
        return secret
    return read
def user_data(read):
    driver.cluster._core = SimpleNamespace(read_namespaced_secret=read)
    try:
        return driver.cluster.user_data("<<BOOTSTRAP_TOKEN>>", "m", "abcdef")
    except Failure as failure:
        return failure.code, failure.answer["failure"]["isSettled"]
def gone(name, namespace): raise client.ApiException(status=404)
print(user_data(filled_with(1, 19)), user_data(filled_with(16, 4)), user_data(gone))
`;
  expect(await printedBy(script)).toBe("abcdef.s ('Unavailable', False) ('Unavailable', False)\n");
});
