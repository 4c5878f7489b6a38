/**
 * Words that exported names are made of; `machine` allows `machines`, `delete` also `deleted` and
 * `deleting`. A new name takes one of these, or the word that Kubernetes, client-go, Temporal, MCM
 * or a cloud has for the thing; a word of our own is first in docs/glossary.md.
 */
export const vocabulary = {
  /** That hold names together. */
  small: `
    after all among and anew any are as at before behind being between both by each every for from
    has have if in is may more most must no not of off on once one or other our out over own same
    should since some still than that their theirs there to too unless until up us was when why
    with within without
  `,
  /** Of the field and of the glossary, and plain English. */
  words: `
    aborted absent acceptance accepted accepts access account acme acquire act action active
    activity add address administrative adopted advice affordable again against age agenda agent
    agreed alert alibaba alicloud alike alive allowance allowed already anexia annotation answer
    anything api apiserver apply approval approver architecture argument ask assign atomically
    attached attachment attempt attribute audit authority auto automatic autoscaler available
    awaited away aws azure back backoff bad bar base bash batch began begin begun behaviour
    belongings belongs binary binding birth blank blocked blocker blueprint board body boolean
    bootstrap bounded briefly budget build built bundle burst busy bytes cache calendar call
    canary candidate canonical capacity carried cause cell certain certificate chance change chart
    check checkpoint checksum child choice choose chosen churn claim claimant class clean clear
    client clip clock clone close cloud cluster code codec collected collections coloured columns
    command comments compare comparison competing complete completion component compute concerns
    condition config conflict connect consent consistent console container content contest context
    continue contract controller controls converter copy cordon core correct count counters crd
    create creation creator credential critical crowd csi current custom dashboard data database
    date dead deadline death debian decision default defined deletable delete deletion delivered
    delivery dependencies deployment describe desired details devices diagnose died diff differ
    digest digital digitalocean dir director directory disappearance disk dispatch disruption
    distinct doctor document doing done doubt down download drain driver drop droplet due duration
    dynamic earlier ec edit effect effective either elder election element elsewhere empty encode
    encrypted end endpoints engine ensure enter entrance entry environment epoch equipped error
    etcd evaluate evaluation event everything evict eviction exceptions exclusion excused
    executable exists expect explain explanation external fact factory failed failing failure fair
    fake family fate fault fewer field figures file fill filter final finalizer finally find
    finders findings finish first fits fitted flag fleet floating floor folder follow forbidden
    force forget form format found frame free freeze fresh front frozen future gate gce gcp
    generate generation get give given glob global go going gone google grace grant graph group
    grown growth grpc guard guardian guest hand handled happening hash haste header heading health
    heartbeat held help here hetzner hidden hide hinder histogram history hold holders hook host
    how http id identity ids ignition ignore image incarnation infer init initialization
    initialize inline innermost input insert install instance int integer interceptor interrupt
    interruptible interruption interval invalid ip iso items job join journal json keep kept
    kernel key keyword kill kind kit known kube kubeconfig kubectl kubelet kubermatic kubevirt
    label lack large last late lately lateness latest launch layout lazy leader leaderless
    leadership leading leaked lean lease least leave ledger left leftovers length let level
    license life lifecycle limit line list listings live load local location lock log long longest
    look loopback loss lost mac machine made make malloc manager manifest manual many map mark
    mass matches matching max mcm meaning measured median meltdown member memo memory merge
    message meta metadata metal meter metric migrate milliseconds millwright mirror mirrored
    misconfigured miscount mismatch misses missing mode modfile module monotonic ms multipart name
    nameless namespace near nearest need network new newest next nic nobody node noop note nothing
    notice now nulls number nutanix object observe obstacle occasion occurrence ocean offboard ok
    old open openings openstack operation operator optional options orchestration order origin
    orphan os osm outage outcome outdated outlasting output outside override overshoot owners
    ownership pace packages page pair palette panel parallel parse part pass password past patch
    path patience patterns pause payload pending period permissions persistent persistently person
    phase pick pinned pipeline place placeholder plain plan platform plausible play pod point
    policy poll pool port postgresql prefix prepare presence present preservation preserve preview
    previous print printable priority probes process product profile program progress project
    prometheus proportion protect protection provider proxy prune ps public purpose push put
    python quantiles quantity query question queue quick quoted random range rank rate raw reach
    reachability read ready real reason recent recomposition reconciling reconfiguration record
    recorders recordings recovery recreate ref reference reflector refresh refusable refusal
    refuse region register registration registry regular rejected rejection related release
    removal remove render renewal repair repeated replace replacement replica reply report
    repository request requeue require requirement resource response rest restart restore result
    resume retag retry review revision right risen role roll rollback rollout room root rotated
    round routed routes row rule run runbook runtime safe safety said sample sandbox sbom scale
    schedule schema scope screen script sdk search seconds secret section security see seen select
    selection selector send senseless sent sequel series serve servers service session set
    settings settle setup sha shape shards shared shell short shorten show shown shrink shrunk
    shut shutdown sides signal signed signing silent simulate single sinks size skip sleep slot
    slow snapshot soon source spam span spare spec spelling spent spot ssh stack stage stale stall
    standing stands standstill start state status stay step stop store stranger strategy stripped
    stuck style subject submit successor sum summary supervised supervision supervisor supplier
    surge surroundings suspect sweep switch sync sysctl system table tag taint take taken target
    task teardown tell template temporal term terminated terminating test text their theirs thing
    throttling time timeline timeout timestamp title tls token tolerant toleration toml tool total
    trace tracked transient translate translation transport tree trial trigger trimmed trouble try
    tuner turn two type ui uid unavailable unclaimed unclear uncordon uncounted undecodable under
    undo unicode union uniqueness unit unjoined unknown unlisted unmanaged unmatched unowned
    unpushable unreachable unrecorded unsearched unsent unsettled untaken untouched untried
    unusable unused update url usable usage use users usual uuid valid validate validation
    validator value vanished vapp variable vcd verb verdict verify version view virtual vm volume
    vsphere wait wake wanted wants warning watch wave way webhook well wheel whole width window
    word work workers workflow world worst worth wrap write written xml yaml yandex younger zero
    zone zsh
  `,
} as const;
