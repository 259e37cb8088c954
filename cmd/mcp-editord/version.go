package main

import "github.com/spf13/cobra"

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		RunE: func(*cobra.Command, []string) error {
			return a.print(a.version, map[string]string{"version": a.version})
		},
	}
}
