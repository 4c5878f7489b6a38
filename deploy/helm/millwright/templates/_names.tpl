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

{{/* Takes a list of names, which is not empty. */}}
{{- define "millwright.namesSelector" -}}
{{- if eq (len .) 1 }}{ matchLabels: { kubernetes.io/metadata.name: {{ first . | quote }} } }
{{- else }}{ matchExpressions: [{ key: kubernetes.io/metadata.name, operator: In, values: {{ toJson . }} }] }
{{- end }}
{{- end }}

{{- define "millwright.othersSelector" -}}
{ matchExpressions: [{ key: kubernetes.io/metadata.name, operator: NotIn, values: [kube-system] }] }
{{- end }}

{{/*
Selects the Namespaces with Machines; kube-system only where it is one by its name or its labels. Those of other
releases, and of MCM, are none of ours.
*/}}
{{- define "millwright.machinesSelector" -}}
{{- $fleet := .Values.fleet.namespaces }}
{{- with include "millwright.knownNamespaces" . | fromJsonArray }}{{ include "millwright.namesSelector" . }}
{{- else }}{{ if eq $fleet "all" }}{{ include "millwright.othersSelector" . }}
{{- else }}{{ include "millwright.labelsSelector" (trimPrefix "labels:" $fleet) }}{{ end }}
{{- end }}
{{- end }}

{{/* A LabelSelector, as JSON, of a selector as a text: `a=b,c in (d,e),!f`. */}}
{{- define "millwright.labelsSelector" -}}
{{- $expressions := list }}
{{- range regexFindAll "[^,(]+([(][^)]*[)])?" . -1 }}
{{- $text := trim . }}
{{- $key := regexFind "[-\\w./]+" $text }}
{{- $values := list }}
{{- range splitList "," (regexReplaceAll "^[^=(]*([=(]+)\\s*|[)]$" $text "") }}{{ $values = append $values (trim .) }}{{ end }}
{{- $operator := "Exists" }}
{{- if hasPrefix "!" $text }}{{ $operator = "DoesNotExist" }}
{{- else if or (contains "!=" $text) (regexMatch "\\snotin\\s*[(]" $text) }}{{ $operator = "NotIn" }}
{{- else if or (contains "=" $text) (regexMatch "\\sin\\s*[(]" $text) }}{{ $operator = "In" }}
{{- end }}
{{- $expression := dict "key" $key "operator" $operator }}
{{- if has $operator (list "In" "NotIn") }}{{ $_ := set $expression "values" $values }}{{ end }}
{{- with $text }}{{ $expressions = append $expressions $expression }}{{ end }}
{{- end }}
{{- toJson (dict "matchExpressions" $expressions) }}
{{- end }}

{{/*
Selects the Namespaces whose Secrets our processes may change: those with Machines, or all where their rights are of the
whole cluster. kube-system is left to the rule for tokens, where there is one. Takes { root, hasTokensRule }. Empty: none.
*/}}
{{- define "millwright.secretsSelector" -}}
{{- $known := include "millwright.knownNamespaces" .root | fromJsonArray }}
{{- if or .root.Values.rbac.clusterWide (not $known) }}
{{- if .hasTokensRule }}{{ include "millwright.othersSelector" . }}{{ else }}{}{{ end }}
{{- else }}
{{- with ternary (without $known "kube-system") $known (not (empty .hasTokensRule)) }}{{ include "millwright.namesSelector" . }}{{ end }}
{{- end }}
{{- end }}

{{/* Of objects without a namespace: one release must not take those of another one. */}}
{{- define "millwright.clusterName" -}}
{{- printf "%s.%s" .Release.Namespace (include "millwright.fullname" .) }}
{{- end }}

{{/* Takes { root, component }. */}}
{{- define "millwright.selectorLabels" -}}
app.kubernetes.io/name: {{ include "millwright.name" .root | quote }}
app.kubernetes.io/instance: {{ .root.Release.Name | quote }}
app.kubernetes.io/component: {{ .component | quote }}
{{- end }}

{{- define "millwright.labels" -}}
app.kubernetes.io/name: {{ include "millwright.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end }}

{{/* A release puts the digest of its image into the chart: it holds for that tag alone. */}}
{{- define "millwright.image" -}}
{{- $tag := .Values.image.tag }}
{{- $digest := .Values.image.digest }}
{{- if not (or $tag $digest) }}
{{- $tag = .Chart.AppVersion }}
{{- $digest = index .Chart.Annotations "millwright.dev/image-digest" }}
{{- end }}
{{- .Values.image.repository }}{{ with $tag }}:{{ . }}{{ end }}{{ with $digest }}@{{ . }}{{ end }}
{{- end }}

{{/* Takes { root, name, settings }. */}}
{{- define "millwright.serviceAccount" -}}
{{- default (printf "%s-%s" (include "millwright.fullname" .root) .name) (dig "serviceAccount" "name" "" .settings) }}
{{- end }}

{{/* Name of the worker that does the watcher's work as well: the first one with the core. Empty: the watcher is apart. */}}
{{- define "millwright.watchingWorker" -}}
{{- $names := list }}
{{- range $name, $worker := .Values.workers }}
{{- if and $worker (has "core" $worker.serve) }}{{ $names = append $names $name }}{{ end }}
{{- end }}
{{- if and $names (not .Values.watcher.apart) }}{{ first $names }}{{ end }}
{{- end }}

{{/* JSON of the workers by name. What `watcher` says holds for the one that watches, where it says nothing itself. */}}
{{- define "millwright.workers" -}}
{{- $watching := include "millwright.watchingWorker" . }}
{{- $watcher := .Values.watcher }}
{{- $workers := dict }}
{{- range $name, $worker := .Values.workers }}
{{- if $worker }}
{{- if eq $name $watching }}
{{- /* Not by merge, which takes false, 0 and "" for nothing. */}}
{{- $flags := dict }}
{{- range list $watcher.flags $worker.flags }}{{ range $flag, $value := . }}{{ $_ := set $flags $flag $value }}{{ end }}{{ end }}
{{- $env := $worker.env | default list }}
{{- $own := list }}
{{- range $env }}{{ $own = append $own .name }}{{ end }}
{{- range $watcher.env | default list | reverse }}{{ if not (has .name $own) }}{{ $env = prepend $env . }}{{ end }}{{ end }}
{{- $worker = merge (dict "flags" $flags "env" $env) (omit $worker "flags" "env") }}
{{- end }}
{{- $_ := set $workers $name $worker }}
{{- end }}
{{- end }}
{{- toJson $workers }}
{{- end }}

{{/*
Of a worker, or the watcher where that is apart: in names and labels. The selector of a Deployment cannot change: one that
Gardener finds by its name keeps that of the watcher, which it was. Takes { root, name }.
*/}}
{{- define "millwright.component" -}}
{{- $isWatching := eq .name (include "millwright.watchingWorker" .root) }}
{{- ternary "watcher" .name (and $isWatching (not (empty .root.Values.watcher.deploymentName))) }}
{{- end }}

{{/* Takes { root, name } of the watcher or a worker. */}}
{{- define "millwright.deploymentName" -}}
{{- $own := printf "%s-%s" (include "millwright.fullname" .root) .name }}
{{- $watching := include "millwright.watchingWorker" .root | default "watcher" }}
{{- ternary (default $own .root.Values.watcher.deploymentName) $own (eq .name $watching) }}
{{- end }}

{{/* Of what watches. */}}
{{- define "millwright.watcherDeployment" -}}
{{- include "millwright.deploymentName" (dict "root" . "name" (include "millwright.watchingWorker" . | default "watcher")) }}
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
{{- include "millwright.urlPort" .endpoint }}
{{- end }}
{{- end }}
{{- end }}

{{/* Where a URL leads, also one without a scheme. */}}
{{- define "millwright.urlPort" -}}
{{- $host := regexReplaceAll "^([a-z]+://)?([^@/]*@)?([^/]*).*$" . "${3}" }}
{{- regexFind "[0-9]+$" (regexFind ":[0-9]+$" $host) | default (ternary "443" "80" (hasPrefix "https:" .)) }}
{{- end }}

{{/* Of the workers in Temporal, where installs of other namespaces and clusters may have theirs. */}}
{{- define "millwright.workerDeployment" -}}
{{- $names := compact (list .Values.temporal.clusterName .Release.Namespace (include "millwright.fullname" .)) }}
{{- default (join "_" $names | replace "." "-") .Values.versioning.deploymentName }}
{{- end }}

{{- define "millwright.hasNetworkPolicy" -}}
{{- $enabled := .Values.networkPolicy.enabled }}
{{- if kindIs "invalid" $enabled }}{{ $enabled = not (empty .Values.fleet.namespaces) }}{{ end }}
{{- if $enabled }}true{{ end }}
{{- end }}
