// Holds answers of the service against the schemas of its own OpenAPI document: the part of JSON Schema that it uses.
import assert from 'node:assert/strict';

const kinds = (value) => {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  if (Number.isInteger(value)) return ['integer', 'number'];
  return [typeof value];
};

// What is wrong, a sentence each.
export function defects(schema, value, document, at = '') {
  if (schema === true) return [];
  if ('$ref' in schema) {
    const target = schema.$ref.slice(2).split('/').reduce((inside, name) => inside?.[name], document);
    return target === undefined ? [`${at}: there is no ${schema.$ref}`] : defects(target, value, document, at);
  }
  const found = [];
  const known = new Set(['type', 'enum', 'const', 'properties', 'required', 'additionalProperties', 'items', 'minItems', 'maxItems',
    'minLength', 'minimum', 'maximum', 'anyOf', 'oneOf', 'allOf', 'description', 'format', 'title', '$schema', '$id', '$defs', 'default', 'examples', 'pattern', 'contentMediaType']);
  for (const word of Object.keys(schema)) if (!known.has(word) && !word.startsWith('x-')) found.push(`${at}: the schema says ${word}, which nobody checks`);
  if (schema.type !== undefined && ![schema.type].flat().some((type) => kinds(value).includes(type))) {
    return [...found, `${at || '/'}: is ${JSON.stringify(value)?.slice(0, 80)}, expected ${[schema.type].flat().join(' or ')}`];
  }
  if (schema.enum && !schema.enum.includes(value)) found.push(`${at}: ${JSON.stringify(value)} is none of ${schema.enum.join(', ')}`);
  for (const name of schema.required ?? []) if (kinds(value)[0] === 'object' && !(name in value)) found.push(`${at}/${name}: is missing`);
  if (kinds(value)[0] === 'object') {
    for (const [name, inner] of Object.entries(value)) {
      const own = schema.properties?.[name];
      if (own) found.push(...defects(own, inner, document, `${at}/${name}`));
      else if (typeof schema.additionalProperties === 'object') found.push(...defects(schema.additionalProperties, inner, document, `${at}/${name}`));
      else if (schema.additionalProperties === false) found.push(`${at}/${name}: is not in the schema`);
    }
  }
  if (Array.isArray(value)) {
    if (value.length < (schema.minItems ?? 0) || value.length > (schema.maxItems ?? Infinity)) found.push(`${at}: has ${value.length} entries`);
    if (schema.items) value.forEach((inner, i) => found.push(...defects(schema.items, inner, document, `${at}/${i}`)));
  }
  if (schema.anyOf && !schema.anyOf.some((one) => defects(one, value, document, at).length === 0)) {
    found.push(`${at}: fits none of anyOf: ${schema.anyOf.map((one) => defects(one, value, document, at)[0]).join(' | ')}`);
  }
  if (schema.oneOf && schema.oneOf.filter((one) => defects(one, value, document, at).length === 0).length !== 1) found.push(`${at}: does not fit exactly one of oneOf`);
  return found;
}

// The operation of a method and path, with the schema of an answer of that status.
export function operationOf(document, method, path) {
  const parts = path.split('?')[0].split('/');
  const fits = (pattern) => {
    const wanted = pattern.split('/');
    return wanted.length === parts.length && wanted.every((part, i) => part === parts[i] || (part.startsWith('{') && parts[i] !== ''));
  };
  const patterns = Object.keys(document.paths).filter(fits).sort((a, b) => a.split('{').length - b.split('{').length);
  return patterns.map((pattern) => document.paths[pattern][method.toLowerCase()]).find(Boolean);
}

export function assertDescribed(document, method, path, { status, json }) {
  const operation = operationOf(document, method, path);
  assert.ok(operation, `the document has no ${method} ${path}`);
  const response = operation.responses[status] ?? operation.responses.default;
  assert.ok(operation.responses[status] || status >= 400, `${method} ${path}: ${status} is not described`);
  const schema = response.content?.['application/json']?.schema;
  if (!schema) return;
  assert.deepEqual(defects(schema, json, document), [], `${method} ${path}: ${status}`);
}

// The document is one: every operation has a summary, answers with schemas, and path parameters that are declared.
export function assertDocument(document) {
  assert.equal(document.openapi, '3.1.0');
  assert.ok(document.info.title && document.info.version);
  const operationIds = new Set();
  for (const [path, methods] of Object.entries(document.paths)) {
    assert.match(path, /^\//);
    for (const [method, operation] of Object.entries(methods)) {
      const where = `${method} ${path}`;
      assert.ok(['get', 'post', 'put', 'patch', 'delete'].includes(method), where);
      assert.ok(operation.summary, where);
      assert.match(operation.operationId, /^[a-z][A-Za-z0-9]+$/, where);
      assert.ok(!operationIds.has(operation.operationId), `${where}: ${operation.operationId} is there twice`);
      operationIds.add(operation.operationId);
      assert.ok(['none', 'any', 'read', 'label', 'write', 'run'].includes(operation['x-role']), where);
      const open = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
      const declared = operation.parameters.filter((one) => one.in === 'path').map((one) => one.name);
      assert.deepEqual(declared, open, where);
      for (const one of operation.parameters) assert.ok(one.schema.type && typeof one.required === 'boolean', `${where} ${one.name}`);
      assert.ok(Object.keys(operation.responses).some((status) => status.startsWith('2')), where);
      for (const [status, response] of Object.entries(operation.responses)) {
        assert.ok(response.description, `${where} ${status}`);
        const [[, content]] = Object.entries(response.content);
        assert.ok(Object.keys(content.schema).length > 0, `${where} ${status}: an empty schema`);
        for (const [name, list] of Object.entries(content.schema.properties ?? {})) {
          if (list.items?.type === 'object') assert.ok(list.items.properties, `${where} ${status}: nothing is said of an entry of ${name}`);
        }
      }
    }
  }
}
