// Inserts a row with clickhouse-go as the writer, and prints it as the reader sees it.
package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/shopspring/decimal"
)

func main() {
	ctx := context.Background()
	protocol := clickhouse.Native
	if os.Args[1] == "http" {
		protocol = clickhouse.HTTP
	}
	table := "default." + os.Args[1]
	writer := open(protocol, "writer")
	batch, err := writer.PrepareBatch(ctx, "INSERT INTO "+table)
	check(err)
	at := time.Date(2026, 3, 8, 7, 30, 0, 123_000_000, time.UTC)
	amount := decimal.RequireFromString("1.25")
	day := time.Date(2026, 3, 8, 0, 0, 0, 0, time.UTC)
	check(batch.Append(uint64(1<<64-1), 0.5, amount, "é", nil, []uint8{1, 2}, day, at))
	check(batch.Send())

	reader := open(protocol, "reader")
	var n uint64
	var f float64
	var text string
	var none *string
	var list []uint8
	row := reader.QueryRow(ctx, "SELECT * FROM "+table)
	check(row.Scan(&n, &f, &amount, &text, &none, &list, &day, &at))
	fmt.Println(n, f, amount.StringFixed(4), text, none == nil, len(list), list[1],
		day.Format(time.DateOnly), at.Format(time.RFC3339Nano))
}

func open(protocol clickhouse.Protocol, user string) driver.Conn {
	conn, err := clickhouse.Open(&clickhouse.Options{
		Protocol: protocol,
		Addr:     []string{os.Args[2]},
		Auth:     clickhouse.Auth{Username: user, Password: os.Getenv(user)},
	})
	check(err)
	return conn
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
