/** Forms with files, written and read (builtins.md §2.15). */

import { at, defineBuiltins, row } from "../../table/index.ts";
import { Bytes, Dict, List, thrown, utf8Text, type Value } from "../../values/index.ts";
import { type Argument, bytesOfArgument, option, optionsOf, textOf, typeName } from "../arguments.ts";
import { formFields, formLimitFields, partFields } from "../rows/http.ts";
import { boundaryOf, type MultipartField, parseMultipart } from "./multipart-read.ts";
import { fixedBoundary, multipartBody } from "./multipart-write.ts";

/** A dict stands for plain fields. */
function formPartsOf(fields: List | Dict): List {
  if (fields instanceof List) return fields;
  return new List([...fields.entries()].map(([name, value]) => Dict.of({ name, value: value ?? "" })));
}

/** The same fields give the same body: the boundary grows until no field holds it. */
function formData(fields: List | Dict, options: Argument): Value {
  const place = at("multipart_form_data", "fields");
  const parts = row.list(row.dict(partFields)).full().read(formPartsOf(fields), place);
  const reader = {
    caller: "multipart_form_data",
    readFile: (path: string): Uint8Array => {
      throw thrown(
        `multipart_form_data: a part can't name a path ('${path}'); read it with read_file_bytes and give its content`,
      );
    },
  };
  const held = new TextDecoder("latin1").decode(multipartBody(reader, parts, ""));
  const { boundary: own } = optionsOf("multipart_form_data", options, formFields);
  if (own !== null && held.includes(`--${own}`))
    throw thrown("multipart_form_data: the boundary occurs in a field");
  let boundary = own ?? fixedBoundary;
  for (let n = 1; own === null && held.includes(boundary); n++) boundary = `${fixedBoundary}-${n}`;
  const written = /^[\w'+.-]+$/.test(boundary) ? boundary : `"${boundary}"`;
  return Dict.of({
    content_type: `multipart/form-data; boundary=${written}`,
    boundary,
    body: new Bytes(multipartBody(reader, parts, boundary)),
  });
}

const fieldDict = (field: MultipartField): Value =>
  Dict.of({
    name: field.name,
    filename: field.filename ?? null,
    content_type: field.contentType ?? null,
    headers: Dict.from(field.headers),
    bytes: new Bytes(field.content),
    text: utf8Text(field.content) ?? null,
  });

function parse(body: Argument, contentType: Argument, options: Argument): Value {
  const boundary = boundaryOf(textOf(contentType));
  const data = bytesOfArgument(body);
  const fields = parseMultipart(data, boundary, optionsOf("multipart_parse", options, formLimitFields));
  return Dict.of({
    boundary,
    fields: new List(fields.map(fieldDict)),
    field_count: fields.length,
    total_bytes: data.length,
  });
}

function fieldBytes(caller: string, field: Argument): Bytes {
  const bytes = option(field, "bytes");
  if (bytes instanceof Bytes) return bytes;
  throw thrown(`${caller}: expected a field of multipart_parse, got ${typeName(field)}`);
}

export const multipart = defineBuiltins(
  "multipart",
  {
    multipart_form_data: {
      doc:
        "A form as a body: `{content_type, boundary, body}`, the same for the same fields. Fields are a dict or a list of " +
        "`{name, content | value | value_base64, filename?, content_type?, headers?}`. Option: `boundary`, else one is made that " +
        "no field holds.",
      sig: "(fields!: list<dict> | dict, options?: dict) -> dict",
      effect: "pure",
      example: 'multipart_form_data({a: "1"}).content_type  // multipart/form-data; boundary=harn-boundary',
      fields: { fields: () => partFields, options: () => formFields },
      run: (_task, fields: List | Dict, options: Argument) => formData(fields, options),
    },
    multipart_parse: {
      doc:
        "Reads a form: `{boundary, fields: [{name, filename, content_type, headers, bytes, text}], field_count, total_bytes}`. " +
        "Limits: `max_total_bytes` (8 MiB), `max_field_bytes` (8 MiB), `max_fields` (128).",
      sig: "(body: string | bytes, content_type: string, options?: dict) -> dict",
      effect: "pure",
      example:
        'multipart_parse(multipart_form_data({a: "1"}).body, "multipart/form-data; boundary=harn-boundary").fields[0].text  // 1',
      fields: { options: () => formLimitFields },
      run: (_task, body: Argument, type: Argument, options: Argument) => parse(body, type, options),
    },
    multipart_field_text: {
      doc: "The text of a field; throws when it is not UTF-8.",
      sig: "(field: dict) -> string",
      effect: "pure",
      example: 'multipart_field_text({name: "a", bytes: bytes_from_string("1")})  // 1',
      run: (_task, field: Argument) => {
        const text = utf8Text(fieldBytes("multipart_field_text", field).data);
        if (text !== undefined) return text;
        throw thrown(`multipart_field_text: field '${textOf(option(field, "name"))}' is not valid UTF-8`);
      },
    },
    multipart_field_bytes: {
      doc: "The bytes of a field.",
      sig: "(field: dict) -> bytes",
      effect: "pure",
      example: 'multipart_field_bytes({name: "a", bytes: bytes_from_string("1")})  // b"31"',
      run: (_task, field: Argument) => fieldBytes("multipart_field_bytes", field),
    },
  },
  { field: "a field, as `multipart_parse` gives it" },
);
