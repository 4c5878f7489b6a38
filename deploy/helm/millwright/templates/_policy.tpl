{{/*
A ValidatingAdmissionPolicy for one resource of some namespaces, with its binding. Takes { root, name, selector,
group, resource, operations, condition, rules }.
*/}}
{{- define "millwright.policy" }}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata:
  name: {{ .name }}
  labels:
    {{- include "millwright.labels" .root | nindent 4 }}
spec:
  failurePolicy: Fail
  matchConstraints:
    namespaceSelector: {{ .selector }}
    resourceRules:
      - apiGroups: [{{ .group | quote }}]
        apiVersions: ['*']
        resources: [{{ .resource }}]
        operations: {{ toJson .operations }}
  matchConditions:
    - name: who
      expression: {{ .condition | squote }}
  validations:
    {{- toYaml .rules | nindent 4 }}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata:
  name: {{ .name }}
  labels:
    {{- include "millwright.labels" .root | nindent 4 }}
spec:
  policyName: {{ .name }}
  validationActions: [Deny]
{{- end }}

{{/* CEL: whether a field is as before. Takes a list of its path and of what an absent one counts as. */}}
{{- define "millwright.unchanged" -}}
{{- $path := first . }}
{{- printf "(has(object.%s) ? object.%s : %s) == (has(oldObject.%s) ? oldObject.%s : %s)" $path $path (last .) $path $path (last .) }}
{{- end }}

{{/* CEL: whether nothing of a Secret changes but its finalizers. */}}
{{- define "millwright.keepsSecret" -}}
{{- /* An owner that does not exist has the Secret deleted by the garbage collector. */}}
{{- $kept := list "object.type == oldObject.type" }}
{{- range list (list "data" "{}") (list "immutable" "false") (list "metadata.labels" "{}") (list "metadata.annotations" "{}") (list "metadata.ownerReferences" "[]") }}
{{- $kept = append $kept (include "millwright.unchanged" .) }}
{{- end }}
{{- join " && " $kept }}
{{- end }}
