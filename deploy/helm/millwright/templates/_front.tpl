{{/*
Rules of the API server for objects of cluster.k8s.io, as YAML of a list: those of machine-controller's webhooks. Each
allows what is good, or what was just as bad before the write: stored objects stay writable.
*/}}

{{/* Of what a machine is. Takes the path of a MachineSpec. */}}
{{- define "millwright.rules.machine" -}}
{{- $spec := replace "." ".?" . }}
{{- $kubelet := printf ".?%s.?versions.?kubelet.orValue('')" $spec }}
{{- $system := printf ".?%s.?providerSpec.?value.?operatingSystem.orValue('')" $spec }}
{{- $provider := printf ".?%s.?providerSpec.?value.?cloudProvider.orValue('')" $spec }}
- expression: >-
    object{{ $kubelet }}.matches('^v?[0-9]+([.][0-9]+){0,2}(-[-0-9A-Za-z.]+)?([+][-0-9A-Za-z.]+)?$')
    || (oldObject != null && object{{ $kubelet }} == oldObject{{ $kubelet }})
  messageExpression: >-
    '{{ . }}.versions.kubelet "' + object{{ $kubelet }} + '" is not allowed; allowed: a version such as 1.34.2'
- expression: >-
    object{{ $system }} in ['ubuntu', 'amzn2', 'rhel', 'flatcar', 'rockylinux']
    || (oldObject != null && object{{ $system }} == oldObject{{ $system }})
  messageExpression: >-
    '{{ . }}.providerSpec.value.operatingSystem "' + object{{ $system }}
    + '" is not allowed; allowed: ubuntu, amzn2, rhel, flatcar, rockylinux'
- expression: >-
    object{{ $provider }} != '' || (oldObject != null && oldObject{{ $provider }} == '')
  message: {{ . }}.providerSpec.value.cloudProvider is missing; it names the provider, such as aws or hetzner
- expression: >-
    !object.?{{ $spec }}.?configSource.hasValue() || (oldObject != null && oldObject.?{{ $spec }}.?configSource.hasValue())
  message: {{ . }}.configSource is not allowed, since kubelets take no configuration from the API server any more; remove it
{{- end }}

{{/*
Of the spec of a Machine that the front mirrors; of others machine-controller's own webhook says it, and takes the
annotation away before this is asked. An absent field is an empty one, as machine-controller writes it. The annotation
lets the write through that adds it.
*/}}
{{- define "millwright.rules.immutable" -}}
{{- $bypass := "'kubermatic.io/bypass-no-spec-mutation-requirement'" }}
{{- $isOther := "oldObject == null || !('front.millwright.dev/mirror' in oldObject.metadata.?finalizers.orValue([]))" }}
{{- $taints := ".?spec.?taints.orValue([]).map(t, [t.?key.orValue(''), t.?value.orValue(''), t.?effect.orValue('')])" }}
- expression: >-
    {{ $isOther }}
    || !oldObject.?spec.?providerID.hasValue() || !object.?spec.?providerID.hasValue()
    || object.spec.providerID == oldObject.spec.providerID
  messageExpression: >-
    'spec.providerID "' + object.spec.providerID + '" is not allowed; allowed: "' + oldObject.spec.providerID
    + '", for it is written once'
{{- $same := list }}
{{- range list "providerSpec|{}" "versions.?kubelet|''" "versions.?controlPlane|''" "metadata.?labels|{}" "metadata.?annotations|{}" "configSource|{}" }}
{{- $field := splitList "|" . }}
{{- $value := printf ".?spec.?%s.orValue(%s)" (first $field) (last $field) }}
{{- $same = append $same (printf "object%s == oldObject%s" $value $value) }}
{{- end }}
- expression: >-
    {{ $isOther }}
    || (object.metadata.?annotations[?{{ $bypass }}].orValue('') == 'true'
    && oldObject.metadata.?annotations[?{{ $bypass }}].orValue('') != 'true')
    || ({{ join "\n    && " $same }}
    && object{{ $taints }} == oldObject{{ $taints }}
    && (object.?spec.?providerID.hasValue() || !oldObject.?spec.?providerID.hasValue())
    && (object.?spec.?metadata.?name.orValue('') in [object.metadata.name, oldObject.?spec.?metadata.?name.orValue('')]))
  message: >-
    spec is immutable; allowed: spec.providerID once, and the name of the Machine as spec.metadata.name. Change the
    template of the MachineDeployment, or add the annotation {{ trimAll "'" $bypass }}=true in the same write
{{- end }}

{{/* What the CRD cannot say of a selector at its bounded cost. */}}
{{- define "millwright.rules.selector" -}}
{{- $expressions := ".?spec.?selector.?matchExpressions.orValue([])" }}
{{- $labels := ".?spec.?template.?metadata.?labels" }}
- expression: >-
    object{{ $expressions }}.all(e, e.operator in ['Exists', 'DoesNotExist']
    ? (e.operator == 'Exists') == object{{ $labels }}[?e.key].hasValue()
    : e.operator in ['In', 'NotIn'] && (e.operator == 'In') ==
    e.?values.orValue([]).exists(value, object{{ $labels }}[?e.key].orValue(' ') == value))
    || (oldObject != null && object{{ $expressions }} == oldObject{{ $expressions }}
    && object{{ $labels }}.orValue({}) == oldObject{{ $labels }}.orValue({}))
  message: >-
    spec.selector.matchExpressions must all be met by spec.template.metadata.labels; allowed operators: In, NotIn, Exists,
    DoesNotExist
{{- end }}
