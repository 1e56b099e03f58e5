package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"regexp"

	roster "example.org/roster"
)

var next = regexp.MustCompile(`after=([^&>]+)[^>]*>; rel="next"`)

func require(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	configuration := roster.NewConfiguration()
	configuration.Servers = roster.ServerConfigurations{{URL: os.Args[1]}}
	api := roster.NewAPIClient(configuration).UsersAPI
	ctx := context.Background()

	input := roster.NewUserInput("Ada")
	input.SetEmail("ada@example.com")
	input.AdditionalProperties = map[string]interface{}{"department": "engines"}
	ada, _, err := api.CreateUser(ctx).UserInput(*input).Execute()
	require(err)
	for _, name := range []string{"Grace", "Linus"} {
		_, _, err := api.CreateUser(ctx).UserInput(*roster.NewUserInput(name)).Execute()
		require(err)
	}
	read, _, err := api.ReadUser(ctx, ada.Id).Execute()
	require(err)
	patch := roster.NewUserPatch()
	patch.SetName("Ada King")
	updated, _, err := api.UpdateUser(ctx, ada.Id).UserPatch(*patch).IfMatch(`"1"`).Execute()
	require(err)
	pages := []int{}
	for after := ""; ; {
		request := api.ListUsers(ctx).Limit(2)
		if after != "" {
			request = request.After(after)
		}
		page, response, err := request.Execute()
		require(err)
		pages = append(pages, len(page))
		found := next.FindStringSubmatch(response.Header.Get("Link"))
		if found == nil {
			break
		}
		after, err = url.QueryUnescape(found[1])
		require(err)
	}
	_, err = api.DeleteUser(ctx, ada.Id).Execute()
	require(err)
	_, _, err = api.ReadUser(ctx, ada.Id).Execute()
	problem := err.(*roster.GenericOpenAPIError).Model().(roster.Problem)
	output, err := json.Marshal(map[string]interface{}{
		"read": read.GetEmail(), "department": read.AdditionalProperties["department"], "version": updated.Version,
		"pages": pages, "problem": problem.Type,
	})
	require(err)
	fmt.Println(string(output))
}
