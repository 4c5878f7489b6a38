import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { writeFileAtomically } from '../atomic-file.ts';
import { users, type User } from '../layout.ts';

/**
 * Groups of the users that have more than `deploy/manifests` gives. The controller manager runs all
 * controllers under its one user, and the virtual cloud stands for kubelets and for a cloud: they
 * may do everything. The operator's own users have only what its RBAC grants.
 */
const groupsOf: Partial<Record<User, string>> = {
  admin: 'system:masters',
  'kube-controller-manager': 'system:masters',
  'virtual-cloud': 'system:masters',
};

/** The scheduler is known to the built-in roles under this name. */
const nameOf: Partial<Record<User, string>> = { 'kube-scheduler': 'system:kube-scheduler' };

export type Tokens = ReadonlyMap<User, string>;

/**
 * The token of each user, in the file that the API server reads. Each is made once and kept, so
 * that kubeconfigs copied elsewhere go on to work. An API server checks the chain of a client
 * certificate anew with each request, a tenth of what it does here; service accounts, as in
 * production, have tokens.
 */
export function loadOrCreateTokens(file: string): Tokens {
  const kept = existsSync(file) ? tokensIn(readFileSync(file, 'utf8')) : undefined;
  const tokens = users.map((user) => [user, kept?.get(user) ?? newToken()] as const);
  writeFileAtomically(file, tokens.map(lineOf).join(''));
  return new Map(tokens);
}

const newToken = (): string => randomBytes(32).toString('hex');

/** token,user,uid,"groups" */
function lineOf([user, token]: readonly [User, string]): string {
  return `${token},${nameOf[user] ?? user},${user},"${groupsOf[user] ?? ''}"\n`;
}

function tokensIn(text: string): Map<string, string> {
  const lines = text.trim().split('\n');
  return new Map(
    lines.map((line) => {
      const [token = '', , user = ''] = line.split(',');
      return [user, token];
    }),
  );
}
