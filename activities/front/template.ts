/** A template of theirs -> class, Secret, ConfigMap and template of ours. */
import type { KubeClient, KubeObject } from '../../kube/client/client.ts';
import { ignoreNotFound } from '../../kube/client/ignore.ts';
import { namespaced } from '../../kube/client/paths.ts';
import type {
  KubermaticMachineDeployment,
  KubermaticMachineSpec,
  KubermaticMachineTemplate,
  KubermaticProviderConfig,
} from '../../workflows/api/kubermatic.ts';
import { annotations, group } from '../../workflows/api/constants.ts';
import { front, kubermaticAnnotations } from '../../workflows/api/kubermatic-names.ts';
import type { MachineTemplateSpec } from '../../workflows/api/machine-set.ts';
import type { MadeTemplate, PoolTemplate } from '../../workflows/plan/front/facts.ts';
import type { NamedTemplate } from '../../workflows/plan/front/names.ts';
import { defined } from '../../workflows/values/defined.ts';
import { isRecord } from '../../workflows/values/is-record.ts';
import { nearestOf } from '../../workflows/values/nearest.ts';
import type { FrontDependencies, FrontSettings } from './dependencies.ts';
import { isMadeByOsm } from './made-by-osm.ts';
import { providerTables } from './providers/index.ts';
import type { PoolContext, ProviderTable, Translation } from './providers/table.ts';
import { translate } from './providers/translate.ts';
import { ReferenceReader, type ReadFields } from './references.ts';
import { userDataOf, type TemplateUserData, type UserDataPlace } from './user-data.ts';

/** Translates the templates of one pool in one pass. */
export class TemplateMaker {
  readonly #dependencies: FrontDependencies;
  readonly #deployment: KubermaticMachineDeployment;
  readonly #references: ReferenceReader;
  #place: Promise<SharedPlace> | undefined;

  constructor(dependencies: FrontDependencies, deployment: KubermaticMachineDeployment) {
    this.#dependencies = dependencies;
    this.#deployment = deployment;
    this.#references = new ReferenceReader(dependencies.control);
  }

  async make({ name, written }: NamedTemplate): Promise<PoolTemplate> {
    const spec = specIn(written);
    const value = configIn(spec);
    const refused = { name, written, made: undefined, ignored: [] };
    const faults = templateFaults(written, spec, value);
    if (!value) return { ...refused, faults };
    const table = tableFor(value);
    if (!table) return { ...refused, faults: [...faults, noTable(value)] };
    const { cloudProviderSpec } = value;
    const resolved = await this.#references.resolve(
      isRecord(cloudProviderSpec) ? cloudProviderSpec : {},
    );
    const nodeAnnotations = spec.metadata?.annotations;
    const said = this.#translated(table, { ...value, nodeAnnotations }, resolved);
    const place = await this.#userDataPlace();
    const userData = userDataOf(spec, value, {
      ...place,
      annotations: { ...place.annotations, ...written.metadata?.annotations },
      provider: table.provider,
    });
    const all = [...faults, ...resolved.faults, ...said.faults, ...userData.faults];
    const made = all.length > 0 ? undefined : this.#made(written, { name, said, userData });
    const { providerIDBack } = table;
    return {
      name,
      written,
      made,
      faults: all.map((sentence) => masked(sentence, resolved)),
      ignored: [...said.ignored, ...userData.ignored].map((one) => masked(one, resolved)),
      ...(providerIDBack && { providerIDBack }),
    };
  }

  /** The reference says why a value is missing; the field of the table need not. */
  #translated(
    table: ProviderTable,
    value: KubermaticProviderConfig & Pick<PoolContext, 'nodeAnnotations'>,
    resolved: ReadFields,
  ): Translation {
    const { metadata } = this.#deployment;
    const pool = {
      namespace: metadata.namespace ?? '',
      name: metadata.name,
      cluster: this.#dependencies.settings.instanceCluster,
      operatingSystem: value.operatingSystem ?? '',
      sshPublicKeys: value.sshPublicKeys ?? [],
      network: value.network,
      nodeAnnotations: value.nodeAnnotations,
    };
    const { env } = this.#dependencies;
    const said = translate(table, resolved.spec, { pool, env, secrets: resolved.secrets });
    return resolved.faults.length > 0 ? { ...said, faults: [] } : said;
  }

  #made(
    written: KubermaticMachineTemplate,
    { name, said, userData }: { name: string; said: Translation; userData: TemplateUserData },
  ): MadeTemplate {
    const data = { ...said.credentials, [front.templateKey]: JSON.stringify(written) };
    return {
      provider: said.provider,
      providerSpec: said.providerSpec,
      classAnnotations: { [annotations.userData]: userData.source },
      secretData: Object.fromEntries(
        Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
      ),
      configData: userData.config === undefined ? undefined : { 'config.yaml': userData.config },
      template: ourTemplate(written, name, this.#dependencies.settings),
    };
  }

  async #userDataPlace(): Promise<SharedPlace> {
    this.#place ??= placeOf(this.#dependencies, this.#deployment);
    return await this.#place;
  }
}

/** All templates of the pool share it. */
type SharedPlace = Omit<UserDataPlace, 'provider'>;

async function placeOf(
  { control, settings }: FrontDependencies,
  { metadata }: KubermaticMachineDeployment,
): Promise<SharedPlace> {
  const { namespace = '', name } = metadata;
  return {
    namespace,
    name,
    annotations: metadata.annotations ?? {},
    isMadeByOsm: await isMadeByOsm(control, metadata),
    clusterConfig: await clusterConfigOf(control, namespace, settings.userDataConfig),
  };
}

async function clusterConfigOf(
  control: KubeClient,
  namespace: string,
  name: string | undefined,
): Promise<string | undefined> {
  if (name === undefined) return undefined;
  const path = namespaced('configmaps', namespace, name);
  const object = await ignoreNotFound(
    control.get<KubeObject & { data?: Record<string, string> }>(path),
  );
  return object?.data?.['config.yaml'];
}

/** Their CRDs have no schema: what is absent, or of another type, is a fault and no error. */
function specIn({ spec }: KubermaticMachineTemplate): KubermaticMachineSpec {
  return isRecord(spec) ? spec : { providerSpec: {} };
}

function configIn({ providerSpec }: KubermaticMachineSpec): KubermaticProviderConfig | undefined {
  return isRecord(providerSpec) && isRecord(providerSpec.value) ? providerSpec.value : undefined;
}

function templateFaults(
  { metadata }: KubermaticMachineTemplate,
  spec: KubermaticMachineSpec,
  value: KubermaticProviderConfig | undefined,
): string[] {
  const faults: string[] = [];
  const at = 'spec.template.spec';
  if (!value) faults.push(`${at}.providerSpec.value is missing`);
  if (spec.configSource) faults.push(`${at}.configSource cannot be said: remove it`);
  if (spec.providerID) faults.push(`${at}.providerID cannot be that of each machine: remove it`);
  if (metadata?.annotations?.[kubermaticAnnotations.initializers]) {
    faults.push(
      `spec.template.metadata.annotations: ${kubermaticAnnotations.initializers} cannot be said: use a deletion hook or a policy`,
    );
  }
  return faults;
}

function tableFor({ cloudProvider = '' }: KubermaticProviderConfig): ProviderTable | undefined {
  return Object.hasOwn(providerTables, cloudProvider) ? providerTables[cloudProvider] : undefined;
}

/** Fields that are no credential may stand in a Secret all the same. */
function masked(sentence: string, { secrets }: ReadFields): string {
  return [...secrets]
    .filter((value) => value !== '')
    .reduce((text, value) => text.replaceAll(value, '***'), sentence);
}

function noTable({ cloudProvider = '' }: KubermaticProviderConfig): string {
  const known = Object.keys(providerTables);
  const meant = nearestOf(cloudProvider, known);
  const hint = meant === undefined ? `there are ${known.join(', ')}` : `did you mean "${meant}"?`;
  return `spec.template.spec.providerSpec.value.cloudProvider "${cloudProvider}" cannot be translated: ${hint}`;
}

function ourTemplate(
  { metadata, spec }: KubermaticMachineTemplate,
  name: string,
  settings: FrontSettings,
): MachineTemplateSpec {
  const { joinClusterTimeoutSeconds, skipEvictionAfterSeconds, replacesUnhealthy } = settings;
  const nodeMetadata = defined({
    labels: spec.metadata?.labels,
    annotations: spec.metadata?.annotations,
  });
  const { taints = [] } = spec;
  const nodeTemplate = {
    ...(Object.keys(nodeMetadata).length > 0 && { metadata: nodeMetadata }),
    ...(taints.length > 0 && { spec: { taints } }),
  };
  return {
    metadata: defined({ labels: metadata?.labels, annotations: metadata?.annotations }),
    spec: {
      class: { apiGroup: group, kind: 'MachineClass', name },
      ...(Object.keys(nodeTemplate).length > 0 && { nodeTemplate }),
      ...(joinClusterTimeoutSeconds !== undefined && {
        creationTimeout: `${joinClusterTimeoutSeconds}s`,
      }),
      ...(skipEvictionAfterSeconds !== undefined && {
        drainTimeout: `${skipEvictionAfterSeconds}s`,
      }),
      ...(!replacesUnhealthy && { disableHealthTimeout: true }),
    },
  };
}
