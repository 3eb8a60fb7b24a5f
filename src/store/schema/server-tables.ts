/**
 * The tables of durable conversations, of those who use a server, and of writing projects.
 *
 *   event          streams of events: `id` counts over all streams, `seq` within one without gaps; `origin` names what made it,
 *                  so that it is written once
 *   conversation   one row a conversation; `record` is the rest as JSON
 *   conversation_run  which runs work for which conversation and message
 *   message        what people say, from queued to said
 *   history        what the model is told next time, in its order
 *   partial        what has been said of messages that are not finished
 *   interrupt      requests to stop
 *   piece_holder   which conversation or paper needs which row of `blob`
 *   principal, login, answered_request   who may use a server, their logins, answers that are given again
 *   writing_*, library, note, source     papers, what they cite, notes and fetched pages
 */
export const serverTables = `
  ALTER TABLE event RENAME TO event_before;
  CREATE TABLE event (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    stream TEXT NOT NULL,
    seq INTEGER NOT NULL,
    origin TEXT,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    body TEXT NOT NULL
  );
  CREATE UNIQUE INDEX event_number ON event (stream, seq);
  CREATE UNIQUE INDEX event_origin ON event (stream, origin) WHERE origin IS NOT NULL;
  INSERT INTO event (stream, seq, at, type, body)
    SELECT stream, seq, at, type, body FROM event_before ORDER BY stream, seq;
  DROP TABLE event_before;

  CREATE TABLE conversation (
    id TEXT PRIMARY KEY,
    agent TEXT NOT NULL,
    owner TEXT NOT NULL,
    state TEXT NOT NULL,
    record TEXT NOT NULL,
    head INTEGER NOT NULL,
    version INTEGER NOT NULL,
    changed INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX conversation_owner ON conversation (owner, id);
  CREATE INDEX conversation_state ON conversation (state, id);
  CREATE TABLE conversation_run (
    run TEXT PRIMARY KEY,
    conversation TEXT NOT NULL REFERENCES conversation(id) ON DELETE CASCADE,
    message TEXT,
    began INTEGER NOT NULL,
    ended INTEGER,
    status TEXT
  ) WITHOUT ROWID;
  CREATE INDEX run_of_conversation ON conversation_run (conversation, began);
  CREATE TABLE message (
    conversation TEXT NOT NULL REFERENCES conversation(id) ON DELETE CASCADE,
    n INTEGER NOT NULL,
    id TEXT NOT NULL UNIQUE,
    body TEXT NOT NULL,
    delivery TEXT NOT NULL,
    by TEXT NOT NULL,
    queued INTEGER NOT NULL,
    state TEXT NOT NULL,
    run TEXT,
    PRIMARY KEY (conversation, n)
  ) WITHOUT ROWID;
  CREATE INDEX message_state ON message (conversation, state);
  CREATE TABLE history (
    conversation TEXT NOT NULL REFERENCES conversation(id) ON DELETE CASCADE,
    n INTEGER NOT NULL,
    id TEXT NOT NULL,
    run TEXT,
    at INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (conversation, n)
  ) WITHOUT ROWID;
  CREATE TABLE partial (
    stream TEXT NOT NULL,
    message TEXT NOT NULL,
    body TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (stream, message)
  ) WITHOUT ROWID;
  CREATE TABLE interrupt (
    id TEXT PRIMARY KEY,
    run TEXT,
    conversation TEXT,
    asked INTEGER NOT NULL,
    by TEXT NOT NULL,
    reason TEXT,
    done INTEGER,
    how TEXT
  ) WITHOUT ROWID;
  CREATE INDEX interrupt_open ON interrupt (asked) WHERE done IS NULL;
  CREATE INDEX interrupt_conversation ON interrupt (conversation);
  CREATE TABLE piece_holder (
    holder TEXT NOT NULL,
    piece INTEGER NOT NULL REFERENCES blob(id),
    PRIMARY KEY (holder, piece)
  ) WITHOUT ROWID;
  CREATE INDEX piece_held ON piece_holder (piece);

  CREATE TABLE principal (
    name TEXT PRIMARY KEY,
    role TEXT NOT NULL,
    token TEXT NOT NULL,
    created INTEGER NOT NULL,
    revoked INTEGER
  ) WITHOUT ROWID;
  CREATE UNIQUE INDEX principal_token ON principal (token);
  CREATE TABLE login (
    hash TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    principal TEXT NOT NULL,
    expires INTEGER NOT NULL,
    used INTEGER
  ) WITHOUT ROWID;
  CREATE INDEX login_principal ON login (principal);
  CREATE TABLE answered_request (
    principal TEXT NOT NULL,
    key TEXT NOT NULL,
    digest TEXT NOT NULL,
    status INTEGER NOT NULL,
    body TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (principal, key)
  ) WITHOUT ROWID;
  CREATE INDEX answered_request_age ON answered_request (at);

  CREATE TABLE writing_projects (
    id TEXT PRIMARY KEY,
    conversation TEXT,
    owner TEXT NOT NULL,
    title TEXT NOT NULL,
    authors TEXT NOT NULL,
    abstract TEXT NOT NULL,
    language TEXT NOT NULL,
    citation_style TEXT NOT NULL,
    state TEXT NOT NULL,
    version INTEGER NOT NULL,
    created INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    deleted INTEGER
  ) WITHOUT ROWID;
  CREATE INDEX writing_of_conversation ON writing_projects (conversation);
  CREATE INDEX writing_of_owner ON writing_projects (owner);
  CREATE TABLE writing_sections (
    project TEXT NOT NULL REFERENCES writing_projects(id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    parent TEXT,
    position INTEGER NOT NULL,
    title TEXT NOT NULL,
    label TEXT NOT NULL,
    body TEXT NOT NULL,
    summary TEXT NOT NULL,
    state TEXT NOT NULL,
    version INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    PRIMARY KEY (project, id)
  ) WITHOUT ROWID;
  CREATE UNIQUE INDEX writing_label ON writing_sections (project, label);
  CREATE TABLE writing_references (
    project TEXT NOT NULL REFERENCES writing_projects(id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    item TEXT NOT NULL,
    verified INTEGER NOT NULL,
    origin TEXT,
    quote TEXT,
    PRIMARY KEY (project, key)
  ) WITHOUT ROWID;
  CREATE TABLE writing_versions (
    project TEXT NOT NULL REFERENCES writing_projects(id) ON DELETE CASCADE,
    n INTEGER NOT NULL,
    at INTEGER NOT NULL,
    by TEXT NOT NULL,
    run TEXT,
    op TEXT NOT NULL,
    note TEXT,
    changes TEXT NOT NULL,
    PRIMARY KEY (project, n)
  ) WITHOUT ROWID;

  CREATE TABLE library (
    id INTEGER PRIMARY KEY,
    key TEXT NOT NULL UNIQUE,
    item TEXT NOT NULL,
    verified INTEGER NOT NULL,
    origin TEXT,
    source TEXT,
    added INTEGER NOT NULL
  );
  CREATE VIRTUAL TABLE library_words USING fts5 (key, item, content = 'library', content_rowid = 'id');
  CREATE TRIGGER library_added AFTER INSERT ON library BEGIN
    INSERT INTO library_words (rowid, key, item) VALUES (new.id, new.key, new.item);
  END;
  CREATE TRIGGER library_removed AFTER DELETE ON library BEGIN
    INSERT INTO library_words (library_words, rowid, key, item) VALUES ('delete', old.id, old.key, old.item);
  END;
  CREATE TRIGGER library_changed AFTER UPDATE ON library BEGIN
    INSERT INTO library_words (library_words, rowid, key, item) VALUES ('delete', old.id, old.key, old.item);
    INSERT INTO library_words (rowid, key, item) VALUES (new.id, new.key, new.item);
  END;
  CREATE TABLE note (
    id INTEGER PRIMARY KEY,
    conversation TEXT NOT NULL,
    title TEXT NOT NULL,
    text TEXT NOT NULL,
    tags TEXT NOT NULL,
    at INTEGER NOT NULL
  );
  CREATE INDEX note_of_conversation ON note (conversation, id);
  CREATE VIRTUAL TABLE note_words USING fts5 (title, text, tags, content = 'note', content_rowid = 'id');
  CREATE TRIGGER note_added AFTER INSERT ON note BEGIN
    INSERT INTO note_words (rowid, title, text, tags) VALUES (new.id, new.title, new.text, new.tags);
  END;
  CREATE TRIGGER note_removed AFTER DELETE ON note BEGIN
    INSERT INTO note_words (note_words, rowid, title, text, tags) VALUES ('delete', old.id, old.title, old.text, old.tags);
  END;
  CREATE TRIGGER note_changed AFTER UPDATE ON note BEGIN
    INSERT INTO note_words (note_words, rowid, title, text, tags) VALUES ('delete', old.id, old.title, old.text, old.tags);
    INSERT INTO note_words (rowid, title, text, tags) VALUES (new.id, new.title, new.text, new.tags);
  END;
  CREATE TABLE source (
    id TEXT PRIMARY KEY,
    conversation TEXT NOT NULL,
    url TEXT NOT NULL,
    title TEXT NOT NULL,
    fetched INTEGER NOT NULL,
    hash TEXT NOT NULL,
    blob INTEGER REFERENCES blob(id),
    chars INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX source_of_conversation ON source (conversation);
  CREATE INDEX source_blob ON source (blob);
`;

/** Those that a repair copies, in an order in which none refers to a later one, with what orders their rows. */
export const serverTableKeys: readonly (readonly [name: string, key: string])[] = [
  ["conversation", "id"],
  ["conversation_run", "run"],
  ["message", "conversation, n"],
  ["history", "conversation, n"],
  ["partial", "stream, message"],
  ["interrupt", "id"],
  ["piece_holder", "holder, piece"],
  ["principal", "name"],
  ["login", "hash"],
  ["answered_request", "principal, key"],
  ["writing_projects", "id"],
  ["writing_sections", "project, id"],
  ["writing_references", "project, key"],
  ["writing_versions", "project, n"],
  ["library", "id"],
  ["note", "id"],
  ["source", "id"],
];
