import manifest from '../../package.json' with { type: 'json' };

/** Version of this package. */
export const version = manifest.version;
/** Version of Temporal's SDK with which this package is tested. */
export const temporalSdkVersion = manifest.dependencies['@temporalio/worker'];
