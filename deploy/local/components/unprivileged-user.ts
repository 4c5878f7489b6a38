import { runProgram } from '../binaries/program.ts';

export interface SystemUser {
  name: string;
  uid: number;
  gid: number;
}

/** The first that exists. */
const candidates = ['postgres', 'nobody'] as const;

/**
 * The user for a program that refuses to run as root; undefined when we are not root ourselves.
 * Rejects when the system has none of the candidates.
 */
export async function unprivilegedUser(): Promise<SystemUser | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of candidates) {
    const [uid, gid] = await Promise.all([idOf('-u', name), idOf('-g', name)]);
    if (uid !== undefined && gid !== undefined && uid !== 0) return { name, uid, gid };
  }
  throw new Error(
    `PostgreSQL refuses to run as root, and this system has none of the users ${candidates.join(', ')}: do not start as root`,
  );
}

async function idOf(what: '-u' | '-g', name: string): Promise<number | undefined> {
  try {
    return Number(await runProgram('id', [what, name]));
  } catch {
    return undefined;
  }
}
