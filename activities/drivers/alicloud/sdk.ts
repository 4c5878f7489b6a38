/**
 * What is taken of Alibaba Cloud's SDK: its models of requests and answers, and the signature. The
 * package's entrance would load all of its 1,150 models. Imported by `prepare` or the first call.
 */
import { DeleteInstanceRequest } from '@alicloud/ecs20140526/dist/models/DeleteInstanceRequest.js';
import { DeleteInstanceResponseBody } from '@alicloud/ecs20140526/dist/models/DeleteInstanceResponseBody.js';
import { DescribeInstancesRequest } from '@alicloud/ecs20140526/dist/models/DescribeInstancesRequest.js';
import { DescribeInstancesResponseBody } from '@alicloud/ecs20140526/dist/models/DescribeInstancesResponseBody.js';
import { GetInstanceConsoleOutputRequest as ConsoleRequest } from '@alicloud/ecs20140526/dist/models/GetInstanceConsoleOutputRequest.js';
import { GetInstanceConsoleOutputResponseBody as ConsoleAnswer } from '@alicloud/ecs20140526/dist/models/GetInstanceConsoleOutputResponseBody.js';
import { RunInstancesRequest } from '@alicloud/ecs20140526/dist/models/RunInstancesRequest.js';
import { RunInstancesResponseBody } from '@alicloud/ecs20140526/dist/models/RunInstancesResponseBody.js';
import { TagResourcesRequest } from '@alicloud/ecs20140526/dist/models/TagResourcesRequest.js';
import utils from '@alicloud/openapi-core/dist/utils.js';
import { cast, Request } from '@darabonba/typescript';
import { createHash } from 'node:crypto';
import { stringify } from 'node:querystring';
import type { Credentials } from './credentials.ts';

/** A read is a GET, so that what is in between knows it for one; ECS takes both. */
const actions = {
  RunInstances: ['POST', RunInstancesRequest, RunInstancesResponseBody],
  DescribeInstances: ['GET', DescribeInstancesRequest, DescribeInstancesResponseBody],
  DeleteInstance: ['POST', DeleteInstanceRequest, DeleteInstanceResponseBody],
  GetInstanceConsoleOutput: ['GET', ConsoleRequest, ConsoleAnswer],
  TagResources: ['POST', TagResourcesRequest, DeleteInstanceResponseBody],
} as const;

export type CallName = keyof typeof actions;
export type Answer<A extends CallName> = InstanceType<(typeof actions)[A][2]>;

const algorithm = 'ACS3-HMAC-SHA256';
const emptyBody = createHash('sha256').update('').digest('hex');

/** `input`: by the names of the SDK's model. All of it stands in the query. */
export function signedRequest(
  action: CallName,
  input: object,
  { host, credentials: { id, secret } }: { host: string; credentials: Credentials },
) {
  const [method, Model] = actions[action];
  const query = utils.default.query(new Model(input).toMap());
  const headers: Record<string, string> = {
    host,
    'x-acs-action': action,
    'x-acs-version': '2014-05-26',
    'x-acs-date': utils.default.getTimestamp(),
    'x-acs-signature-nonce': utils.default.getNonce(),
    'x-acs-content-sha256': emptyBody,
  };
  const request = Object.assign(new Request(), { method, pathname: '/', query, headers });
  const authorization = utils.default.getAuthorization(request, algorithm, emptyBody, id, secret);
  return { method, path: `/?${stringify(query)}`, headers: { ...headers, authorization } };
}

/** Fails where the answer has another form. */
export function answerOf<A extends CallName>(action: A, json: unknown): Answer<A>;
export function answerOf(action: CallName, json: unknown): object {
  const [, , Model] = actions[action];
  return cast(json, new Model({}));
}
