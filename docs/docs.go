// Package docs holds the description of the API for the server, which serves it and makes
// its reference page of it.
package docs

import _ "embed" // for the description

// OpenAPI is openapi.json.
//
//go:embed openapi.json
var OpenAPI []byte
