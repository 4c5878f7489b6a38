/**
 * The keys of a cloud-config, their types and words, of cloud-init 22.4 to 26: documented with each
 * of its modules. Where versions differ, what one of them takes is allowed.
 */
import {
  all,
  atLeast,
  either,
  fields,
  flag,
  flags,
  form,
  list,
  map,
  nothing,
  number,
  object,
  secret,
  text,
  texts,
  when,
  whole,
  words,
  type Fields,
} from './shapes.ts';

const some = { least: 1 };
const unique = { isUnique: true };
const command = either(text, list(text));
const perhapsAddress = either(text, nothing);
const day = form(/^\d{4}-\d\d-\d\d$/, 'a day in quotes, such as "2030-12-31"');
const size = form(/^([0-9]+)?\.?[0-9]+[BKMGT]$/, 'a size such as 512M');

/** For `patternProperties`: names that may be written with dashes, too. */
function dashed(names: Fields): Fields {
  const others = Object.entries(names).map(([name, shape]) => [
    `^${name.replaceAll('_', '-')}$`,
    shape,
  ]);
  return Object.fromEntries(others);
}

const userFields: Fields = {
  ...texts('primary_group selinux_user'),
  ...all('passwd hashed_passwd plain_text_passwd', secret),
  ...flags('create_groups lock_passwd no_create_home no_log_init no_user_group ssh_redirect_user'),
  ...all('ssh_authorized_keys ssh_import_id', list(text, some)),
};

const user = {
  ...fields({
    ...texts('name gecos homedir inactive shell snapuser'),
    ...userFields,
    expiredate: day,
    groups: either(text, list(text, some), map(nothing)),
    system: flag,
    doas: list(text, some),
    sudo: either(text, nothing, flag, list(either(text, nothing))),
    uid: either(whole, text),
  }),
  patternProperties: dashed(userFields),
  ...when({ not: { required: ['snapuser'] } }, { required: ['name'] }),
};

const mirrors = list(
  fields(
    {
      arches: list(text, some),
      search: list(text, some),
      search_dns: flag,
      ...texts('uri keyid key keyserver'),
    },
    { required: 'arches' },
  ),
  some,
);

const pull = fields(
  {
    ...flags('accept_host_key clean full diff verify_commit'),
    ...texts(`ssh_common_args scp_extra_args sftp_extra_args private_key checkout module_path timeout
      url connection vault_id vault_password_file inventory module_name sleep tags skip_tags
      playbook_name`),
    playbook_names: list(text),
  },
  { required: 'url' },
);

const playbook = fields(
  {
    ...texts(`playbook_name playbook_dir become_password_file connection_password_file vault_id
      vault_password_file module_path args extra_vars inventory scp_extra_args sftp_extra_args
      private_key connection module_name sleep tags skip_tags`),
    ...flags('list_hosts syntax_check check diff'),
    ...all('timeout background poll forks', atLeast(0, number)),
  },
  { others: true },
);

const packageItem = either(text, list(text, { least: 2, most: 2 }));
const packageNames = either(
  text,
  list(text, { least: 2, most: 2 }),
  fields(all('apt snap', list(packageItem))),
);

const password = {
  ...fields({ name: text, type: words('RANDOM hash text'), password: secret }),
  required: ['name'],
  if: { properties: { type: { const: 'RANDOM' } }, required: ['type'] },
  else: { required: ['password'] },
};

const pro = fields({
  ...all('enable enable_beta', list(text)),
  token: secret,
  features: fields({ disable_auto_attach: flag }),
  config: fields(
    all(
      `http_proxy https_proxy global_apt_http_proxy global_apt_https_proxy ua_apt_http_proxy
       ua_apt_https_proxy`,
      perhapsAddress,
    ),
    { others: true },
  ),
});

const subscription: Fields = {
  ...texts('service_level rhsm_baseurl server_hostname'),
  activation_key: secret,
  auto_attach: flag,
  ...all('add_pool enable_repo disable_repo', list(text)),
};

const caCertificates = {
  ...fields({ remove_defaults: flag, trusted: list(text, some) }),
  patternProperties: dashed({ remove_defaults: flag }),
};

const handler = fields(
  {
    type: words('log print webhook hyperv'),
    level: words('DEBUG INFO WARN ERROR FATAL'),
    ...texts('endpoint consumer_key kvp_file_path'),
    ...all('token_key token_secret consumer_secret', secret),
    timeout: atLeast(0, number),
    retries: atLeast(0),
    event_types: list(text),
  },
  { required: 'type' },
);

const stage = either(text, list(text, { least: 2, most: 2 }), fields(texts('output error')));

const mergers = either(
  text,
  list(
    fields(
      {
        name: words('list dict str'),
        settings: list(
          words(
            'allow_delete no_replace replace append prepend recurse_dict recurse_list recurse_array recurse_str',
          ),
        ),
      },
      { required: 'name settings' },
    ),
    some,
  ),
);

const lxd = fields({
  init: fields({
    ...texts('network_address storage_create_device storage_pool'),
    ...all('network_port storage_create_loop', whole),
    trust_password: secret,
    storage_backend: words('zfs dir lvm btrfs'),
  }),
  bridge: fields(
    {
      mode: words('none existing new'),
      mtu: atLeast(-1),
      ...texts('name ipv4_address ipv4_dhcp_first ipv4_dhcp_last ipv6_address domain'),
      ...all('ipv4_netmask ipv4_dhcp_leases ipv6_netmask', whole),
      ...flags('ipv4_nat ipv6_nat'),
    },
    { required: 'mode' },
  ),
  preseed: text,
});

const disk = fields({
  table_type: words('mbr gpt'),
  layout: either(
    words('remove'),
    flag,
    list(either(whole, list(either(whole, text), { least: 2, most: 2 }))),
  ),
  overwrite: flag,
});

const chef = fields({
  ...all('directories', list(text, { ...some, ...unique })),
  ...texts(`validation_cert firstboot_path client_key config_path environment file_backup_path
    file_cache_path json_attribs log_level log_location node_name omnibus_url omnibus_version pid_file
    server_url ssl_verify_mode validation_name chef_license`),
  ...all('validation_key encrypted_data_bag_secret', secret),
  ...flags('exec show_time force_install'),
  omnibus_url_retries: whole,
  initial_attributes: object,
  install_type: words('packages gems omnibus'),
  run_list: list(text),
});

export const cloudConfig: Fields = {
  ansible: fields({
    install_method: words('distro pip'),
    ...texts('run_user ansible_config package_name'),
    setup_controller: fields({
      repositories: list(fields(texts('path source'), { required: 'path source' })),
      run_ansible: list(playbook),
    }),
    galaxy: fields({ actions: list(list(text)) }, { required: 'actions' }),
    pull: { ...pull, type: ['object', 'array'], items: pull, 'x-allowed': 'an object, or a list' },
  }),
  apk_repos: fields({
    preserve_repositories: flag,
    alpine_repo: either(
      fields(
        { ...texts('base_url version'), ...flags('community_enabled testing_enabled') },
        { required: 'version' },
      ),
      nothing,
    ),
    local_repo_base_url: text,
  }),
  apt: fields({
    ...flags('preserve_sources_list generate_mirrorlists'),
    disable_suites: list(text, { ...some, ...unique }),
    ...all('primary security', mirrors),
    debconf_selections: map(text),
    ...texts('add_apt_repo_match sources_list conf https_proxy http_proxy proxy ftp_proxy'),
    sources: map(fields({ ...texts('source keyid key keyserver filename'), append: flag })),
  }),
  apt_pipelining: either(whole, flag, words('none unchanged os')),
  ...flags('apt_update apt_upgrade apt_reboot_if_required'),
  autoinstall: fields({ version: whole }, { required: 'version', others: true }),
  bootcmd: list(command, some),
  byobu_by_default: words(
    'enable-system enable-user disable-system disable-user enable disable user system',
  ),
  ...all('ca_certs ca-certs', caCertificates),
  chef,
  chpasswd: fields({
    expire: flag,
    users: list(password),
    list: { ...either(secret, list(secret)), minItems: 1 },
  }),
  ...all('cloud_init_modules cloud_config_modules cloud_final_modules', list(command)),
  device_aliases: map(text),
  disable_ec2_metadata: flag,
  disk_setup: map(disk),
  drivers: fields({
    nvidia: fields({ 'license-accepted': flag, version: text }, { required: 'license-accepted' }),
  }),
  fan: fields(texts('config config_path'), { required: 'config' }),
  ...texts('final_message fqdn hostname locale_configfile timezone authkey_hash disable_root_opts'),
  fs_setup: list(
    fields({
      ...texts('label filesystem device replace_fs'),
      partition: either(text, whole),
      overwrite: flag,
      ...all('extra_opts cmd', command),
    }),
  ),
  groups: either(text, map(either(text, list(text, some))), {
    ...list(either(text, map(either(text, list(text, some)))), some),
  }),
  growpart: fields({
    mode: {
      enum: ['auto', 'growpart', 'gpart', 'off', false],
      'x-allowed': 'one of auto, growpart, gpart, off',
    },
    devices: list(text),
    ignore_growroot_disabled: flag,
  }),
  grub_dpkg: fields({
    enabled: flag,
    ...texts('grub-pc/install_devices grub-efi/install_devices'),
    'grub-pc/install_devices_empty': either(flag, text),
  }),
  'grub-dpkg': object,
  keyboard: fields(texts('layout model variant options'), { required: 'layout' }),
  landscape: fields(
    {
      client: fields(
        {
          ...texts('url ping_url data_path computer_title account_name http_proxy https_proxy'),
          registration_key: secret,
          log_level: words('debug info warning error critical'),
          tags: form(/^[-_0-9a-zA-Z]+(,[-_0-9a-zA-Z]+)*$/, 'words with commas between them'),
        },
        { others: true },
      ),
    },
    { required: 'client' },
  ),
  'launch-index': whole,
  locale: either(text, flag),
  lxd,
  manage_etc_hosts: {
    enum: [true, false, 'localhost', 'template'],
    'x-allowed': 'true, false or localhost',
  },
  ...flags(`allow_public_ssh_keys create_hostname_file disable_root manage_resolv_conf migrate
    no_ssh_fingerprints package_reboot_if_required package_update package_upgrade
    prefer_fqdn_over_hostname preserve_hostname ssh_deletekeys ssh_quiet_keygen`),
  mcollective: fields({
    conf: fields(texts('public-cert private-cert'), { others: either(flag, whole, text) }),
  }),
  ...all('merge_how merge_type', mergers),
  mount_default_fields: list(either(text, nothing), { least: 6, most: 6 }),
  mounts: list(list(text, { least: 1, most: 6 }), some),
  ntp: either(
    fields({
      ...all('pools servers peers allow', list(text, unique)),
      ntp_client: text,
      enabled: flag,
      config: fields({
        ...texts('confpath check_exe service_name template'),
        packages: list(text, unique),
      }),
    }),
    nothing,
  ),
  output: fields(all('all init config final', stage)),
  packages: list(packageNames, some),
  password: secret,
  phone_home: fields(
    {
      url: text,
      post: either(
        words('all'),
        list(
          words('pub_key_dsa pub_key_rsa pub_key_ecdsa pub_key_ed25519 instance_id hostname fqdn'),
        ),
      ),
      tries: whole,
    },
    { required: 'url' },
  ),
  power_state: fields(
    {
      delay: either(atLeast(0), form(/^(now|\+?[0-9]+)$/, 'now')),
      mode: words('poweroff reboot halt'),
      message: text,
      timeout: whole,
      condition: either(text, flag, list()),
    },
    { required: 'mode' },
  ),
  puppet: fields({
    ...flags('install cleanup exec start_service'),
    install_type: words('packages aio'),
    ...texts(`version collection aio_install_url conf_file ssl_dir csr_attributes_path
      package_name`),
    exec_args: list(text),
    conf: fields({ ...all('main server agent user', object), ca_cert: text }),
    csr_attributes: fields(all('custom_attributes extension_requests', object)),
  }),
  random_seed: fields({
    ...texts('file data'),
    encoding: words('raw base64 b64 gzip gz'),
    command: list(text),
    command_required: flag,
  }),
  reporting: map(handler),
  resize_rootfs: { enum: [true, false, 'noblock'], 'x-allowed': 'true, false or noblock' },
  resolv_conf: fields({
    ...all('nameservers searchdomains sortlist', list()),
    domain: text,
    options: object,
  }),
  rh_subscription: {
    ...fields({
      ...texts('username release_version'),
      password: secret,
      org: either(whole, text),
      ...subscription,
    }),
    patternProperties: dashed(subscription),
  },
  rpi: object,
  rsyslog: fields({
    ...texts('config_dir config_filename check_exe'),
    configs: list(either(text, fields(texts('filename content'), { required: 'content' }))),
    remotes: object,
    service_reload_command: either(words('auto'), list(text)),
    install_rsyslog: flag,
    packages: list(text, unique),
  }),
  runcmd: list(either(text, list(text), nothing), some),
  salt_minion: fields({
    ...texts('pkg_name service_name config_dir public_key pki_dir'),
    private_key: secret,
    ...all('conf grains', object),
  }),
  snap: fields({
    assertions: either(list(text, { ...some, ...unique }), map(text)),
    commands: either(list(command, some), map(command)),
  }),
  spacewalk: fields({ ...texts('server proxy'), activation_key: secret }),
  ssh: fields({ emit_keys_to_console: flag }, { required: 'emit_keys_to_console' }),
  ...all('ssh_key_console_blacklist ssh_fp_console_blacklist', list(text, unique)),
  ssh_authorized_keys: list(text, some),
  ssh_genkeytypes: list(words('dsa ecdsa ed25519 rsa'), some),
  ssh_import_id: list(text),
  ssh_keys: {
    ...fields({}),
    patternProperties: {
      '^(dsa|ecdsa|ed25519|rsa)_private$': secret,
      '^(dsa|ecdsa|ed25519|rsa)_(public|certificate)$': text,
    },
  },
  ssh_publish_hostkeys: fields({ enabled: flag, blacklist: list(text) }),
  ssh_pwauth: either(flag, text),
  swap: fields({
    filename: text,
    size: either(whole, form(/^(auto|([0-9]+)?\.?[0-9]+[BKMGT])$/, 'auto or a size such as 2G')),
    maxsize: either(whole, size),
  }),
  system_info: object,
  ...all('ubuntu_pro ubuntu_advantage', pro),
  updates: fields({
    network: fields(
      { when: list(words('boot-new-instance boot-legacy boot hotplug')) },
      { required: 'when' },
    ),
  }),
  user: either(text, user),
  users: either(text, list(either(text, list(text), user)), object),
  vendor_data: fields({
    enabled: either(flag, text),
    prefix: either(text, list(either(text, whole))),
  }),
  wireguard: either(
    fields(
      {
        interfaces: list(fields({ ...texts('name config_path'), content: secret }), some),
        readinessprobe: list(text, unique),
      },
      { required: 'interfaces' },
    ),
    nothing,
  ),
  write_files: list(
    fields(
      {
        ...texts('path owner permissions'),
        content: secret,
        encoding: words('gz gzip gz+base64 gzip+base64 gz+b64 gzip+b64 b64 base64 text/plain'),
        ...flags('append defer'),
        source: fields({ uri: text, headers: map(secret) }, { required: 'uri' }),
      },
      { required: 'path' },
    ),
    some,
  ),
  yum_repo_dir: text,
  yum_repos: map(
    fields(
      { ...texts('baseurl name metalink mirrorlist'), enabled: flag },
      { others: either(whole, flag, text) },
    ),
  ),
  zypper: fields(
    {
      repos: list(fields(texts('id baseurl'), { required: 'id baseurl', others: true }), some),
      config: object,
    },
    { others: true },
  ),
};
