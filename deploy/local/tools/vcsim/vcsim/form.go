package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/vmware/govmomi/vim25/types"
)

// refusing answers as a vCenter does to a request whose elements are unknown, in another order than
// that of the API's description, or too few. The simulator takes them in any order.
func refusing(next http.Handler) http.Handler {
	return http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(request.Body)
		if err == nil && request.Method == http.MethodPost && request.URL.Path == "/sdk" {
			err = checkForm(body)
		}
		if err != nil {
			writeFault(response, "InvalidRequest", err.Error())
			return
		}
		request.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(response, request)
	})
}

func checkForm(body []byte) error {
	decoder := xml.NewDecoder(bytes.NewReader(body))
	start, err := methodIn(decoder)
	if err != nil {
		return err
	}
	known, ok := types.TypeFunc()(start.Name.Local)
	if !ok {
		return fmt.Errorf("there is no method %s", start.Name.Local)
	}
	return checkElement(decoder, start, known)
}

// methodIn finds the first element of the body of the envelope.
func methodIn(decoder *xml.Decoder) (xml.StartElement, error) {
	isInBody := false
	for {
		token, err := decoder.Token()
		if err != nil {
			return xml.StartElement{}, err
		}
		if start, ok := token.(xml.StartElement); ok {
			if isInBody {
				return start, nil
			}
			isInBody = start.Name.Local == "Body"
		}
	}
}

func checkElement(decoder *xml.Decoder, start xml.StartElement, declared reflect.Type) error {
	actual, err := actualType(start, declared)
	if err != nil {
		return err
	}
	fields := fieldsOf(actual)
	if len(fields) == 0 {
		return decoder.Skip()
	}
	seen := map[string]bool{}
	next := 0
	for {
		token, err := decoder.Token()
		if err != nil {
			return err
		}
		switch element := token.(type) {
		case xml.StartElement:
			name := element.Name.Local
			for next < len(fields) && fields[next].name != name {
				next++
			}
			if next == len(fields) {
				return fmt.Errorf("%s has no element %s at this place", actual.Name(), name)
			}
			seen[name] = true
			if err := checkElement(decoder, element, fields[next].declared); err != nil {
				return err
			}
		case xml.EndElement:
			for _, one := range fields {
				if one.isRequired && !seen[one.name] {
					return fmt.Errorf("%s lacks its element %s", actual.Name(), one.name)
				}
			}
			return nil
		}
	}
}

// actualType is the type that an element names in its attribute, or the one of its field.
func actualType(start xml.StartElement, declared reflect.Type) (reflect.Type, error) {
	for declared.Kind() == reflect.Pointer || declared.Kind() == reflect.Slice {
		declared = declared.Elem()
	}
	for _, attribute := range start.Attr {
		if attribute.Name.Local != "type" || attribute.Name.Space == "" {
			continue
		}
		_, name, hasPrefix := strings.Cut(attribute.Value, ":")
		if hasPrefix {
			return reflect.TypeOf(name), nil
		}
		if known, ok := types.TypeFunc()(attribute.Value); ok {
			return known, nil
		}
		return nil, fmt.Errorf("there is no type %s", attribute.Value)
	}
	if declared.Kind() == reflect.Interface {
		return nil, fmt.Errorf("%s does not name its type", start.Name.Local)
	}
	return declared, nil
}

type field struct {
	name       string
	declared   reflect.Type
	isRequired bool
}

// fieldsOf lists the elements of a type in the order of the description, and none of what holds text.
func fieldsOf(of reflect.Type) []field {
	var fields []field
	if of.Kind() != reflect.Struct || of == reflect.TypeOf(time.Time{}) {
		return fields
	}
	for i := range of.NumField() {
		one := of.Field(i)
		if one.Anonymous {
			fields = append(fields, fieldsOf(one.Type)...)
			continue
		}
		name, options, _ := strings.Cut(one.Tag.Get("xml"), ",")
		isText := strings.Contains(options, "attr") && !strings.Contains(options, "typeattr")
		if isText || strings.Contains(options, "chardata") || name == "" {
			continue
		}
		isOptional := strings.Contains(options, "omitempty") || one.Type.Kind() == reflect.Pointer
		fields = append(fields, field{name, one.Type, !isOptional})
	}
	return fields
}

func writeFault(response http.ResponseWriter, kind string, words string) {
	var text bytes.Buffer
	_ = xml.EscapeText(&text, []byte(words))
	response.Header().Set("Content-Type", "text/xml; charset=utf-8")
	response.WriteHeader(http.StatusInternalServerError)
	fmt.Fprintf(response, `<?xml version="1.0" encoding="UTF-8"?>
<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><soapenv:Body><soapenv:Fault><faultcode>ServerFaultCode</faultcode><faultstring>%s</faultstring><detail><%sFault xmlns="urn:vim25" xsi:type="%s"></%sFault></detail></soapenv:Fault></soapenv:Body></soapenv:Envelope>`,
		text.String(), kind, kind, kind)
}
