{{/* Takes { root, name, component, process, port, settings, args } and renders a Deployment's pod template. */}}
{{- define "millwright.podTemplate" -}}
{{- $root := .root }}
{{- $v := .root.Values }}
metadata:
  labels:
    {{- include "millwright.selectorLabels" . | nindent 4 }}
    {{- with $v.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with $v.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  serviceAccountName: {{ include "millwright.serviceAccount" . | quote }}
  automountServiceAccountToken: {{ eq $v.control.cluster "same" }}
  enableServiceLinks: false
  {{- with include "millwright.priorityClass" $root }}
  priorityClassName: {{ . | quote }}
  {{- end }}
  terminationGracePeriodSeconds: {{ $v.terminationGracePeriodSeconds }}
  {{- with $v.podSecurityContext }}
  securityContext:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $v.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: {{ .process }}
      image: {{ include "millwright.image" $root | quote }}
      imagePullPolicy: {{ $v.image.pullPolicy }}
      args:
        {{- range prepend .args (printf "%s.js" .process) }}
        - {{ . | quote }}
        {{- end }}
      {{- with printf "%s\n%s" (include "millwright.tracesEnv" $root | trim) (include "millwright.env" . | trim) | trim }}
      env:
        {{- . | nindent 8 }}
      {{- end }}
      {{- with .settings.envFrom }}
      envFrom:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      ports:
        - { name: metrics, containerPort: {{ .port }} }
      # Ends a process whose event loop stands. Temporal or an API server that is away is no reason to restart.
      livenessProbe:
        httpGet: { path: /healthz, port: metrics }
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 6
      # Says why in words: what cannot be reached, which rights or search attributes are missing, no leader.
      readinessProbe:
        httpGet: { path: /readyz, port: metrics }
        periodSeconds: 5
        timeoutSeconds: 5
      startupProbe:
        httpGet: { path: /healthz, port: metrics }
        periodSeconds: 2
        failureThreshold: 30
      resources:
        {{- toYaml .settings.resources | nindent 8 }}
      {{- with $v.securityContext }}
      securityContext:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with include "millwright.volumeMounts" $root | trim }}
      volumeMounts:
        {{- . | nindent 8 }}
      {{- end }}
  {{- with include "millwright.volumes" $root | trim }}
  volumes:
    {{- . | nindent 4 }}
  {{- end }}
  {{- with $v.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $v.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $v.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if $v.topologySpread }}
  topologySpreadConstraints:
    {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
    - maxSkew: 1
      topologyKey: {{ . }}
      whenUnsatisfiable: ScheduleAnyway
      matchLabelKeys: [pod-template-hash]
      labelSelector:
        matchLabels:
          {{- include "millwright.selectorLabels" $ | nindent 10 }}
    {{- end }}
  {{- end }}
{{- end }}

{{/* Flags of every process. Takes { root, settings }. */}}
{{- define "millwright.commonArgs" -}}
{{- $v := .root.Values }}
{{- $args := list (printf "--control-kubeconfig=%s" (include "millwright.kubeconfigFlag" (dict "cluster" "control" "settings" $v.control))) }}
{{- $fleet := $v.fleet }}
{{- if $fleet.targetSecret }}
{{- $args = append $args (printf "--target-kubeconfig-secret=%s" $fleet.targetSecret) }}
{{- with $fleet.targetTokenSecret }}{{ $args = append $args (printf "--target-token-secret=%s" .) }}{{ end }}
{{- else }}
{{- $args = append $args (printf "--target-kubeconfig=%s" (include "millwright.targetFlag" .root)) }}
{{- end }}
{{- if $fleet.namespaces }}
{{- $args = append $args (printf "--namespaces=%s" $fleet.namespaces) }}
{{- else }}
{{- $args = append $args (printf "--namespace=%s" (include "millwright.machinesNamespace" .root)) }}
{{- end }}
{{- $args = concat $args (list
  (printf "--temporal-address=%s" $v.temporal.address)
  (printf "--temporal-namespace=%s" $v.temporal.namespace)
  "--log-format=json")
}}
{{- with $v.install }}{{ $args = append $args (printf "--install=%s" .) }}{{ end }}
{{- with $v.clusterId }}{{ $args = append $args (printf "--cluster-id=%s" .) }}{{ end }}
{{- with $v.temporal.clusterName }}{{ $args = append $args (printf "--cluster-name=%s" .) }}{{ end }}
{{- if $v.temporal.payloadKeys.secretName }}{{ $args = append $args "--payload-keys=/etc/millwright/payload-keys/keys" }}{{ end }}
{{- if $v.traces.enabled }}{{ $args = append $args "--traces=otlp" }}{{ end }}
{{- if ne $v.listenAddress "0.0.0.0" }}{{ $args = append $args (printf "--address=%s" $v.listenAddress) }}{{ end }}
{{- /* Not by merge, which takes false, 0 and "" for nothing. */}}
{{- $flags := dict }}
{{- range list $v.flags .settings.flags }}{{ range $name, $value := . }}{{ $_ := set $flags $name $value }}{{ end }}{{ end }}
{{- range $name, $value := $flags }}
{{- /* Numbers of values files are floats: 3000000 must not become 3e+06, and 0.5 not 0. */}}
{{- $isWhole := and (kindIs "float64" $value) (eq (float64 (int64 $value)) (float64 $value)) }}
{{- $args = append $args (printf "--%s=%s" $name (ternary (int64 $value | toString) ($value | toString) $isWhole)) }}
{{- end }}
{{- toJson $args }}
{{- end }}

{{- define "millwright.kubeconfigFlag" -}}
{{- if eq .settings.cluster "same" }}inClusterConfig
{{- else }}{{ printf "%s/%s" (include "millwright.mountPath" .) .settings.kubeconfig.file }}
{{- end }}
{{- end }}

{{/* `same` means the cluster of the Machines, wherever that is. */}}
{{- define "millwright.targetFlag" -}}
{{- $v := .Values }}
{{- if eq $v.target.cluster "none" }}none
{{- else if eq $v.target.cluster "same" }}{{ include "millwright.kubeconfigFlag" (dict "cluster" "control" "settings" $v.control) }}
{{- else }}{{ include "millwright.kubeconfigFlag" (dict "cluster" "target" "settings" $v.target) }}
{{- end }}
{{- end }}

{{- define "millwright.mountPath" -}}
{{- default (printf "/etc/millwright/%s" .cluster) .settings.kubeconfig.mountPath }}
{{- end }}

{{- define "millwright.env" -}}
{{- $v := .root.Values }}
{{- with $v.temporal }}
{{- if .tls.enabled }}
- { name: TEMPORAL_TLS, value: 'true' }
{{- with .tls.serverName }}
- { name: TEMPORAL_TLS_SERVER_NAME, value: {{ . | quote }} }
{{- end }}
{{- if .tls.secretName }}
{{- if .tls.hasCA }}
- { name: TEMPORAL_TLS_SERVER_CA_CERT_PATH, value: /etc/millwright/temporal-tls/ca.crt }
{{- end }}
{{- if .tls.hasClientCertificate }}
- { name: TEMPORAL_TLS_CLIENT_CERT_PATH, value: /etc/millwright/temporal-tls/tls.crt }
- { name: TEMPORAL_TLS_CLIENT_KEY_PATH, value: /etc/millwright/temporal-tls/tls.key }
{{- end }}
{{- end }}
{{- end }}
{{- if .apiKey.secretName }}
- { name: TEMPORAL_API_KEY_PATH, value: /etc/millwright/temporal-api-key/key }
{{- end }}
{{- end }}
{{- /* Kubernetes replaces it by the address of its API server. */}}
{{- $hasProxy := or $v.proxy.httpProxy $v.proxy.httpsProxy }}
{{- $noProxy := join "," (compact (list (ternary "$(KUBERNETES_SERVICE_HOST)" "" (not (empty $hasProxy))) $v.proxy.noProxy)) }}
{{- range $name, $value := dict "HTTP_PROXY" $v.proxy.httpProxy "HTTPS_PROXY" $v.proxy.httpsProxy "NO_PROXY" $noProxy }}
{{- if $value }}
- { name: {{ $name }}, value: {{ $value | quote }} }
{{- end }}
{{- end }}
{{- with .settings.env }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* Before what `env` of a process sets, which counts more. */}}
{{- define "millwright.tracesEnv" -}}
{{- with .Values.traces }}
{{- if .enabled }}
- { name: OTEL_EXPORTER_OTLP_ENDPOINT, value: {{ .endpoint | quote }} }
{{- if .headers.secretName }}
- name: OTEL_EXPORTER_OTLP_HEADERS
  valueFrom: { secretKeyRef: { name: {{ .headers.secretName }}, key: {{ .headers.key }} } }
{{- end }}
{{- if lt (float64 .ratio) 1.0 }}
- { name: OTEL_TRACES_SAMPLER, value: traceidratio }
- { name: OTEL_TRACES_SAMPLER_ARG, value: {{ .ratio | quote }} }
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- define "millwright.volumes" -}}
{{- $v := .Values }}
{{- range $cluster := list "control" "target" }}
{{- with get $v $cluster }}
{{- if eq .cluster "separate" }}
- name: {{ $cluster }}-kubeconfig
  {{- if .kubeconfig.volume }}
  {{- toYaml .kubeconfig.volume | nindent 2 }}
  {{- else }}
  secret: { secretName: {{ .kubeconfig.secretName }}, defaultMode: 0440 }
  {{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- include "millwright.temporalVolumes" . }}
{{- with $v.temporal.payloadKeys }}
{{- if .secretName }}
- name: payload-keys
  secret: { secretName: {{ .secretName }}, defaultMode: 0440, items: [{ key: {{ .key }}, path: keys }] }
{{- end }}
{{- end }}
{{- with $v.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "millwright.temporalVolumes" -}}
{{- $v := .Values }}
{{- with $v.temporal.tls.secretName }}
- name: temporal-tls
  secret: { secretName: {{ . }}, defaultMode: 0440 }
{{- end }}
{{- with $v.temporal.apiKey }}
{{- if .secretName }}
- name: temporal-api-key
  secret: { secretName: {{ .secretName }}, defaultMode: 0440, items: [{ key: {{ .key }}, path: key }] }
{{- end }}
{{- end }}
{{- end }}

{{- define "millwright.volumeMounts" -}}
{{- $v := .Values }}
{{- range $cluster := list "control" "target" }}
{{- with get $v $cluster }}
{{- if eq .cluster "separate" }}
- { name: {{ $cluster }}-kubeconfig, mountPath: {{ include "millwright.mountPath" (dict "cluster" $cluster "settings" .) }}, readOnly: true }
{{- end }}
{{- end }}
{{- end }}
{{- include "millwright.temporalVolumeMounts" . }}
{{- if $v.temporal.payloadKeys.secretName }}
- { name: payload-keys, mountPath: /etc/millwright/payload-keys, readOnly: true }
{{- end }}
{{- with $v.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "millwright.temporalVolumeMounts" -}}
{{- if .Values.temporal.tls.secretName }}
- { name: temporal-tls, mountPath: /etc/millwright/temporal-tls, readOnly: true }
{{- end }}
{{- if .Values.temporal.apiKey.secretName }}
- { name: temporal-api-key, mountPath: /etc/millwright/temporal-api-key, readOnly: true }
{{- end }}
{{- end }}
