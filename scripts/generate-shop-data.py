#!/usr/bin/env python3
"""Writes Examples/shop/shop.sqlite and Examples/shop/shop.json: the same rows on every run.

A SQLite file of the same content is left as it is, because its bytes depend on the version of SQLite.
Prices are multiples of a quarter, so that sums are exact in whichever order they are made.
"""

import json
import pathlib
import sqlite3

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "Examples" / "shop"

SCHEMA = """
CREATE TABLE customer (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT UNIQUE, city TEXT NOT NULL, country TEXT NOT NULL,
  since DATE NOT NULL, referrer_id INTEGER REFERENCES customer (id));
CREATE TABLE category (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, parent_id INTEGER REFERENCES category (id));
CREATE TABLE product (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL, category_id INTEGER NOT NULL REFERENCES category (id),
  price REAL NOT NULL, stock INTEGER NOT NULL, note TEXT);
CREATE TABLE sale (
  id INTEGER PRIMARY KEY, customer_id INTEGER NOT NULL REFERENCES customer (id), day DATE NOT NULL,
  status TEXT NOT NULL);
CREATE TABLE line (
  id INTEGER PRIMARY KEY, sale_id INTEGER NOT NULL REFERENCES sale (id),
  product_id INTEGER NOT NULL REFERENCES product (id), quantity INTEGER NOT NULL, price REAL NOT NULL);
"""

ROWS = {
    "customer": [
        (1, "Ada Lovelace", "ada@example.org", "London", "GB", "2021-03-01", None),
        (2, "Bo Nguyen", "bo@example.org", "Paris", "FR", "2021-11-20", 1),
        (3, "Carla Rossi", None, "Milano", "IT", "2022-02-14", 1),
        (4, "Dmitri Petrov", "dmitri@example.org", "Berlin", "DE", "2022-06-30", 2),
        (5, "Elif Yilmaz", "elif@example.org", "Berlin", "DE", "2023-01-09", 4),
        (6, "Finn Larsen", None, "Oslo", "NO", "2023-05-17", None),
        (7, "Grace Hopper", "grace@example.org", "Paris", "FR", "2023-10-02", 2),
        (8, "Hana Sato", "hana@example.org", "Tokyo", "JP", "2024-01-31", 7),
    ],
    "category": [
        (1, "Everything", None), (2, "Books", 1), (3, "Tools", 1), (4, "Novels", 2), (5, "Manuals", 2), (6, "Garden", 3),
    ],
    "product": [
        (1, "Frankenstein", 4, 9.5, 12, None),
        (2, "The Last Man", 4, 11.25, 0, "out of print"),
        (3, "Notes on the Engine", 5, 24.0, 3, "with diagrams"),
        (4, "Compiler Manual", 5, 30.0, 7, None),
        (5, "Hammer", 3, 18.75, 25, None),
        (6, "Screwdriver", 3, 6.25, 40, "steel, insulated"),
        (7, "Spade", 6, 32.5, 4, "ash handle"),
        (8, "Watering Can", 6, 14.0, 9, None),
        (9, "Rake", 6, 21.0, 0, None),
    ],
    "sale": [
        (1, 1, "2024-01-05", "sent"), (2, 2, "2024-01-17", "sent"), (3, 4, "2024-02-02", "sent"),
        (4, 1, "2024-02-20", "paid"), (5, 5, "2024-02-28", "sent"), (6, 7, "2024-03-03", "open"),
        (7, 2, "2024-03-15", "paid"), (8, 4, "2024-03-15", "sent"), (9, 1, "2024-04-01", "open"),
        (10, 7, "2024-04-22", "paid"),
    ],
    "line": [
        (1, 1, 1, 1, 9.5), (2, 1, 3, 1, 24.0), (3, 2, 5, 1, 18.75), (4, 2, 6, 4, 6.25), (5, 3, 7, 1, 32.5),
        (6, 3, 8, 2, 14.0), (7, 4, 4, 1, 28.0), (8, 5, 6, 2, 6.25), (9, 6, 1, 2, 9.5), (10, 6, 2, 1, 11.25),
        (11, 7, 3, 1, 24.0), (12, 8, 5, 2, 17.5), (13, 8, 7, 1, 32.5), (14, 9, 3, 2, 22.0), (15, 9, 4, 1, 30.0),
        (16, 10, 8, 1, 14.0), (17, 10, 9, 1, 21.0), (18, 10, 1, 1, 9.5),
    ],
}


def make(path):
    database = sqlite3.connect(path)
    database.executescript(SCHEMA)
    for table, rows in ROWS.items():
        database.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
    database.commit()
    return database


def main():
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / "shop.sqlite"
    memory = make(":memory:")
    if not path.exists() or list(sqlite3.connect(path).iterdump()) != list(memory.iterdump()):
        path.unlink(missing_ok=True)
        make(path).close()
    tables = {}
    for table in ROWS:
        cursor = memory.execute(f"SELECT * FROM {table} ORDER BY id")
        names = [column[0] for column in cursor.description]
        tables[table] = [dict(zip(names, row)) for row in cursor]
    lines = []
    for table, rows in tables.items():
        text = ",\n".join("    " + json.dumps(row, ensure_ascii=False) for row in rows)
        lines.append(f'  "{table}": [\n{text}\n  ]')
    (FOLDER / "shop.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
