/** The one command that needs Temporal's native part, which the npm package leaves out. */
import { temporalSdkVersion } from '../workers/config/version.ts';
import type { verify } from './driver.ts';

/** Throws with what to install when the package runs without Temporal's SDK. */
export async function loadVerify(): Promise<{ verify: typeof verify }> {
  try {
    return await import('./driver.ts');
  } catch (error) {
    if (Object(error).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    const packages = ['client', 'envconfig', 'worker']
      .map((name) => `@temporalio/${name}@${temporalSdkVersion}`)
      .join(' ');
    throw new Error(
      `"driver verify" needs the SDK of Temporal beside this package: npm install ${packages}`,
      { cause: error },
    );
  }
}
