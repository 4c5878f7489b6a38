{{- define "millwright.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" }}
{{- end }}

{{- define "millwright.fullname" -}}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" }}
{{- else }}
{{- $name := include "millwright.name" . }}
{{- ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) | trunc 40 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "millwright.machinesNamespace" -}}
{{- default .Release.Namespace .Values.machines.namespace }}
{{- end }}

{{/* JSON of the namespaces with Machines whose names are known; empty: those that have labels, or all. */}}
{{- define "millwright.knownNamespaces" -}}
{{- $fleet := .Values.fleet.namespaces }}
{{- $names := list (include "millwright.machinesNamespace" .) }}
{{- if $fleet }}
{{- $names = list }}
{{- if not (or (eq $fleet "all") (hasPrefix "labels:" $fleet)) }}
{{- range splitList "," $fleet }}{{ with trim . }}{{ $names = append $names . }}{{ end }}{{ end }}
{{- end }}
{{- end }}
{{- toJson $names }}
{{- end }}

{{/* Selects the Namespaces with Machines, of which kube-system is none. */}}
{{- define "millwright.machinesSelector" -}}
{{- $known := include "millwright.knownNamespaces" . | fromJsonArray }}
{{- if eq (len $known) 1 }}{ matchLabels: { kubernetes.io/metadata.name: {{ first $known }} } }
{{- else if $known }}{ matchExpressions: [{ key: kubernetes.io/metadata.name, operator: In, values: {{ toJson $known }} }] }
{{- else }}{ matchExpressions: [{ key: kubernetes.io/metadata.name, operator: NotIn, values: [kube-system] }] }
{{- end }}
{{- end }}

{{/*
Selects the Namespaces whose Secrets our processes may change: those with Machines, or all where their rights are of the
whole cluster. kube-system is left to the rule for tokens, where there is one. Takes { root, hasTokensRule }.
*/}}
{{- define "millwright.secretsSelector" -}}
{{- $known := include "millwright.knownNamespaces" .root | fromJsonArray }}
{{- if and $known (not .root.Values.rbac.clusterWide) }}{{ include "millwright.machinesSelector" .root }}
{{- else if .hasTokensRule }}{ matchExpressions: [{ key: kubernetes.io/metadata.name, operator: NotIn, values: [kube-system] }] }
{{- else }}{}
{{- end }}
{{- end }}

{{/* Of objects without a namespace: one release must not take those of another one. */}}
{{- define "millwright.clusterName" -}}
{{- printf "%s.%s" .Release.Namespace (include "millwright.fullname" .) }}
{{- end }}

{{/* Takes { root, component }. */}}
{{- define "millwright.selectorLabels" -}}
app.kubernetes.io/name: {{ include "millwright.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "millwright.labels" -}}
app.kubernetes.io/name: {{ include "millwright.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{- define "millwright.image" -}}
{{- with .Values.image -}}
{{- if .digest }}{{ .repository }}@{{ .digest }}{{ else }}{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end }}
{{- end }}

{{/* Takes { root, component, settings }. */}}
{{- define "millwright.serviceAccount" -}}
{{- default (printf "%s-%s" (include "millwright.fullname" .root) .component) (dig "serviceAccount" "name" "" .settings) }}
{{- end }}

{{- define "millwright.watcherDeployment" -}}
{{- default (printf "%s-watcher" (include "millwright.fullname" .)) .Values.watcher.deploymentName }}
{{- end }}

{{- define "millwright.priorityClass" -}}
{{- default (ternary (include "millwright.clusterName" .) "" .Values.priorityClass.create) .Values.priorityClass.name }}
{{- end }}

{{- define "millwright.temporalPort" -}}
{{- regexFind "[0-9]+$" .Values.temporal.address }}
{{- end }}

{{/* Where traces go; empty without them. */}}
{{- define "millwright.tracesPort" -}}
{{- with .Values.traces }}
{{- if .enabled }}
{{- $url := urlParse .endpoint }}
{{- regexFind "[0-9]+$" (regexFind ":[0-9]+$" $url.host) | default (ternary "443" "80" (eq $url.scheme "https")) }}
{{- end }}
{{- end }}
{{- end }}

{{/* Of the workers in Temporal, where installs of other namespaces and clusters may have theirs. */}}
{{- define "millwright.workerDeployment" -}}
{{- $names := compact (list .Values.temporal.clusterName .Release.Namespace (include "millwright.fullname" .)) }}
{{- default (join "_" $names | replace "." "-") .Values.versioning.deploymentName }}
{{- end }}
