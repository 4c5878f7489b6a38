/** The proxy of the process's environment, with a real proxy on the wire. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { startProxy, startTlsFront, type Proxy } from '../../../support/fronts.ts';
import { listening } from '../../../support/listening.ts';
import { createAwsDriver } from '../../../../activities/drivers/aws/driver.ts';
import type { CreateRequest, Driver } from '../../../../activities/drivers/driver.ts';
import type { Environment } from '../../../../activities/drivers/settings.ts';
import { startEc2Double, type Ec2Double } from '../../../doubles/ec2/ec2-double.ts';
import { startStsDouble, type StsDouble } from '../../../doubles/ec2/sts-double.ts';
import { aRequest } from '../a-request.ts';
import { failureOf } from '../failure-of.ts';
import { aSpec } from './a-class.ts';

const folder = mkdtempSync(join(tmpdir(), 'token-'));
const tokenFile = join(folder, 'token');
writeFileSync(tokenFile, 'a-token');
const keys = { accessKeyID: 'key', secretAccessKey: 'secret' };
const role = { workloadIdentityTokenFile: tokenFile, roleARN: 'arn:aws:iam::1:role/machines' };

let ec2: Ec2Double;
let sts: StsDouble;
let proxy: Proxy;

beforeAll(async () => {
  ec2 = await startEc2Double();
  sts = await startStsDouble();
});
beforeEach(async () => {
  proxy = await startProxy();
});
afterEach(() => proxy.close());
afterAll(async () => {
  await ec2.close();
  await sts.close();
  rmSync(folder, { recursive: true });
});

function aDriver(more: Environment): Driver {
  const env = { MILLWRIGHT_TOKEN_DIRECTORY: folder, ...more };
  const settings = { env, allowsAmbientCredentials: false, allowsTokenFiles: true };
  return createAwsDriver(settings, { callTimeoutSeconds: 600 });
}

function theRequest(name: string, secret: Record<string, string>): CreateRequest {
  return aRequest(name, { providerSpec: aSpec(), secret });
}

async function describeWith(env: Environment, secret: Record<string, string>): Promise<unknown> {
  return await aDriver(env).describeInstance(theRequest('any', secret));
}

const doubles = (): Environment => ({
  AWS_ENDPOINT_URL_EC2: ec2.url,
  AWS_ENDPOINT_URL_STS: sts.url,
});

test.each(['HTTP_PROXY', 'http_proxy'])('%s is used for EC2 and for STS', async (name) => {
  expect(await describeWith({ ...doubles(), [name]: proxy.url }, role)).toBeUndefined();
  expect(proxy.requests).toEqual([`POST ${sts.url}/`, `POST ${ec2.url}/`]);
});

test('a proxy without http:// before it is one all the same', async () => {
  const HTTP_PROXY = new URL(proxy.url).host;
  expect(await describeWith({ ...doubles(), HTTP_PROXY }, keys)).toBeUndefined();
  expect(proxy.requests).toHaveLength(1);
});

test.each([
  { status: 503, code: 'Unavailable' },
  { status: 403, code: 'Unknown' },
])('a page that it answers with $status is not taken for an answer of EC2', async (page) => {
  const front = createServer((_request, response) => {
    response.writeHead(page.status, { 'content-type': 'text/html' });
    response.end('<!doctype html>\n<html lang=en>\n<title>No service</title>\n<h1>No</h1>\n');
  });
  await using open = await listening(front);
  const failure = await failureOf(describeWith({ AWS_ENDPOINT_URL_EC2: open.url }, keys));
  expect(failure.code).toBe(page.code);
  expect(failure.message).toMatch(
    new RegExp(`DescribeInstances: HTTP ${page.status}: not an answer of EC2: .*<html>[^\\n]*$`),
  );
});

test('hosts of NO_PROXY are asked directly', async () => {
  const env = { ...doubles(), HTTP_PROXY: proxy.url, NO_PROXY: 'example.com,127.0.0.1' };
  expect(await describeWith(env, role)).toBeUndefined();
  expect(proxy.requests).toEqual([]);
});

test('the real endpoints are reached through a tunnel; a proxy that opens none is reported', async () => {
  const HTTPS_PROXY = proxy.url.replace('//', '//user:hidden@');
  const failure = await failureOf(describeWith({ HTTPS_PROXY }, keys));
  expect(proxy.requests).toEqual(['CONNECT ec2.eu-west-1.amazonaws.com:443']);
  expect(failure).toMatchObject({
    code: 'Unavailable',
    message: expect.stringMatching(/tunnel to ec2\.eu-west-1\.amazonaws\.com/),
  });
  expect(failure.message).not.toContain('hidden');
});

test('a call goes through the tunnel, and its connection is kept', async () => {
  const front = await startTlsFront(['ec2.eu-west-1.amazonaws.com'], ec2.url);
  const trusted = getCACertificates();
  try {
    setDefaultCACertificates([...trusted, front.certificate]);
    proxy.openTunnels(front.port);
    const driver = aDriver({ HTTPS_PROXY: proxy.url });
    for (const name of ['one', 'two']) {
      expect(await driver.describeInstance(theRequest(name, keys))).toBeUndefined();
    }
    expect(ec2.lastAccessKey()).toBe('key');
    expect(proxy.requests).toEqual(['CONNECT ec2.eu-west-1.amazonaws.com:443']);
  } finally {
    setDefaultCACertificates(trusted);
    await front.close();
  }
});
