/** Keystone: tokens, and the catalog. */
import { randomUUID } from 'node:crypto';
import type { Answer, Asked, World } from './answers.ts';
import { fieldsOf } from './answers.ts';

export interface AccountRules {
  /** What `auth` of a request for a token has to be. Default: anything. */
  auth: object;
}

interface Identity {
  origin: string;
  world: World;
  rules: Partial<AccountRules>;
}

export function tokenFor({ path, body }: Asked, { origin, world, rules }: Identity): Answer {
  if (path !== '/identity/v3/auth/tokens') {
    const message = 'Not Found';
    return { status: 404, body: { error: { code: 404, title: 'Not Found', message } } };
  }
  const isKnown = !rules.auth || JSON.stringify(body['auth']) === JSON.stringify(rules.auth);
  if (!isKnown || !fieldsOf(body['auth'])['identity']) {
    const message = 'The request you have made requires authentication.';
    return { status: 401, body: { error: { code: 401, title: 'Unauthorized', message } } };
  }
  const token = randomUUID();
  world.tokens.add(token);
  const entry = (type: string, at: string): object => ({
    type,
    endpoints: [
      { interface: 'internal', region_id: 'RegionOne', url: 'http://internal.example' },
      { interface: 'public', region_id: 'RegionTwo', url: 'http://elsewhere.example' },
      { interface: 'public', region_id: 'RegionOne', url: `${origin}${at}` },
    ],
  });
  const catalog = [
    entry('identity', '/identity'),
    entry('compute', '/compute/v2.1'),
    entry('network', '/networking'),
    entry('image', '/image'),
    entry('volumev3', '/volume/v3/project'),
  ];
  const expiry = new Date(Date.now() + 3_600_000).toISOString();
  return {
    status: 201,
    headers: { 'x-subject-token': token },
    body: { token: { catalog, expires_at: expiry, project: { id: 'project' } } },
  };
}
