/* global GraphiQL, React, ReactDOM, graphqlWs */

/** GraphiQL on this server. The API key stands in the headers editor, and is not stored. */
const HEADERS = '{\n  "Authorization": "Bearer <API key>"\n}';

const EXAMPLES = [
  `# How things stand.
# 1. Put an API key into "Headers".
# 2. Press Ctrl+Enter.
query HowThingsStand {
  dashboard {
    licenses {
      active
      suspended
      expired
      revoked
    }
    openSessions
    validations(hours: 6) {
      hour
      valid
      failed
    }
  }
}
`,
  `# Licenses, and what they refer to.
query Licenses {
  licenses(first: 20, filter: { status: active }, orderBy: { field: createdAt, direction: desc }) {
    totalCount
    nodes {
      key
      expiresAt
      seats
      seatsUsed
      product {
        name
        custom
      }
      user {
        userId
        email
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
}
`,
  `# Makes a license that never expires.
mutation CreateLicense {
  createLicense(input: { seats: 2, note: "made in GraphiQL" }) {
    id
    key
    seats
  }
}
`,
  `# Sessions as they open and end.
subscription Sessions {
  sessionChanged {
    change
    at
    licenseKey
    productName
    identifier
  }
}
`,
];

const url = new URL('/graphql', location.href);
const socketUrl = new URL(url);
socketUrl.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';

const keyIn = (headers = {}) => {
  const [, value] = Object.entries(headers).find(([name]) => name.toLowerCase() === 'authorization') ?? [];
  return value === undefined || value.includes('<') ? undefined : value;
};

/** One connection for each key, opened by the first subscription and closed after the last. */
const sockets = new Map();
const socketFor = (key) => {
  if (!sockets.has(key)) {
    const connectionParams = key === undefined ? {} : { authorization: key };
    sockets.set(key, graphqlWs.createClient({ url: socketUrl.href, connectionParams }));
  }
  return sockets.get(key);
};

const NO_KEY = {
  errors: [
    {
      message: 'Put an API key into "Headers", below the operation, and send it again.',
      extensions: { code: 'API_KEY_MISSING' },
    },
  ],
};

/** The key that was used last stands for the tabs that have none. */
let lastKey;

function fetcher(operation, options = {}) {
  const key = keyIn(options.headers) ?? lastKey;
  // It would only be refused.
  if (key === undefined && operation.operationName === 'IntrospectionQuery') return NO_KEY;
  const { Authorization: _upper, authorization: _lower, ...others } = options.headers ?? {};
  const headers = key === undefined ? others : { ...others, authorization: key };
  if (key !== lastKey) {
    lastKey = key;
    // With another fetcher GraphiQL asks for the schema, which may be another one for this key.
    setTimeout(show);
  }
  const send = GraphiQL.createFetcher({ url: url.href, wsClient: socketFor(key) });
  return send(operation, { ...options, headers });
}

/** Tabs and history outlive the page; the headers in them, which hold keys, don't. */
const storage = {
  get length() {
    return localStorage.length;
  },
  clear: () => localStorage.clear(),
  getItem: (name) => localStorage.getItem(name),
  removeItem: (name) => localStorage.removeItem(name),
  setItem: (name, value) => localStorage.setItem(name, withoutHeaders(value)),
};

function withoutHeaders(text) {
  try {
    return JSON.stringify(JSON.parse(text, (name, value) => (name === 'headers' ? undefined : value)));
  } catch {
    return text;
  }
}

const root = ReactDOM.createRoot(document.getElementById('graphiql'));

function show() {
  root.render(
    React.createElement(GraphiQL, {
      fetcher: (operation, options) => fetcher(operation, options),
      storage,
      defaultEditorToolsVisibility: 'headers',
      defaultHeaders: HEADERS,
      defaultTabs: EXAMPLES.map((query) => ({ query, headers: HEADERS })),
      isHeadersEditorEnabled: true,
      shouldPersistHeaders: false,
      showPersistHeadersSettings: false,
    }),
  );
}

show();
